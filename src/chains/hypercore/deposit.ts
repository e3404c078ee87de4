/**
 * The address that belongs to one order: whoever pays the ERC-20 there has funded it, without an allowance for anyone. See `HtlcCore.sol`.
 */
import { type Address, concat, encodeAbiParameters, encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { coreDeposit } from '../../../contracts/evm/artifacts/core-deposit.ts'
import { htlcCore } from '../../../contracts/evm/artifacts/htlc-core.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { canonicalTerms, type HtlcContract, orderIdOf } from '../evm/htlc.ts'

/** The terms are in it, so that what is paid there can serve them alone. */
export function depositAddressOf(contract: HtlcContract, terms: HtlcTerms): Address {
  const { initiator } = canonicalTerms(terms)
  const parameters = encodeAbiParameters([{ type: 'address' }, { type: 'address' }], [tokenOf(contract), initiator])
  const bytecode = concat([coreDeposit.bytecode, parameters])
  const address = getContractAddress({ opcode: 'CREATE2', from: contract.address, salt: orderIdOf(contract, terms), bytecode })
  return address.toLowerCase() as Address
}

export function initiateFromDepositData(terms: HtlcTerms): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiateFromDeposit', args: argumentsOf(terms) })
}

function argumentsOf(terms: HtlcTerms) {
  const { initiator, redeemer, timelock, amount, secretHash } = canonicalTerms(terms)
  return [initiator, redeemer, timelock, amount, secretHash] as const
}

/** Of these assets every one is a token. */
export function tokenOf({ address, token }: HtlcContract): Address {
  if (token === null) throw new Error(`the HTLC at ${address} has no token`)
  return token
}
