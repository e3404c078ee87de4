/**
 * Checks whether a payout to an address can succeed, before there is an HTLC for it. A token is asked for a transfer. A contract is tried
 * with the redeem of an order that exists only in the simulation.
 */

import type { PlannedPayout } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { type Address, encodeFunctionData, erc20Abi, prepareEncodeFunctionData } from 'viem'
import { type HtlcContract, orderIdOf, redeemData } from '../terms/htlc.ts'
import { feeModelOf, offeredAs, suggestFees } from './fees/fees.ts'
import { safeGas } from './fees/gas.ts'
import type { EvmNode } from './nodes/node.ts'
import { isAccepted } from './send/payout.ts'
import { isWithoutOverrides, OPEN_ORDER, UNPROVABLE } from './send/payout-trial.ts'
import { asChainFailure, isOutOfGas, isRevert, revertReason } from './send/revert.ts'

export async function checkRecipient(
  node: EvmNode,
  chain: Chain,
  contract: HtlcContract,
  asset: AssetId,
  recipient: Address,
  payout: PlannedPayout,
  relay: Address | null,
): Promise<string | null> {
  const { amount, payer } = payout
  // A transfer of zero also shows whether the token blocks the recipient.
  if (contract.token !== null)
    return payer === null
      ? checkToken(node, contract.token, contract.address, recipient, 0n)
      : checkToken(node, contract.token, payer as Address, recipient, amount)
  const [code, held] = await Promise.all([node.code(recipient), node.balance(contract.address)])
  if (code === '0x') return null
  if (!payout.isTrusted) return 'it is a contract, and too many payouts of its owner or app failed in the last 24 hours'
  return tryContract(node, chain, contract, { asset, redeemer: recipient, amount }, relay ?? (payer as Address | null), held)
}

const transfer = prepareEncodeFunctionData({ abi: erc20Abi, functionName: 'transfer' })

/** `accepts` is how the HTLC reads the answer. If the payer cannot even pay itself, the refusal says nothing about the recipient. */
export async function checkToken(
  node: Pick<EvmNode, 'call'>,
  token: Address,
  payer: Address,
  recipient: Address,
  amount: bigint,
  accepts = isAccepted,
): Promise<string | null> {
  const refusalOf = async (to: Address): Promise<string | null> => {
    try {
      const answer = await node.call({ from: payer, to: token, data: encodeFunctionData({ ...transfer, args: [to, amount] }) })
      return accepts(answer) ? null : 'the token answers false'
    } catch (error) {
      if (isRevert(error)) return `the token refuses (${revertReason(error)})`
      throw asChainFailure(error, `a transfer of ${token} to ${to}`)
    }
  }
  const refusal = await refusalOf(recipient)
  return refusal === null || (await refusalOf(payer)) !== null ? null : refusal
}

/** The relay sends it where this process has one, else the payer, else an unknown account with a balance in the simulation only. */
async function tryContract(
  node: EvmNode,
  chain: Chain,
  contract: HtlcContract,
  paid: Pick<HtlcTerms, 'asset' | 'redeemer' | 'amount'>,
  known: Address | null,
  held: bigint,
): Promise<string | null> {
  const secret = createSecret()
  const sender = known ?? (`0x${createSecret().slice(0, 40)}` as const)
  const terms = { ...paid, initiator: sender, timelock: chain.timelocks.destination, secretHash: hashSecret(secret) }
  const call = { to: contract.address, data: redeemData(terms, secret) }
  const [fees, gas] = await Promise.all([suggestFees(node, feeModelOf(chain)), safeGas(node, chain, call, 'redeem')])
  const overrides = {
    [contract.address]: { balance: held + paid.amount, slots: { [orderIdOf(contract, terms)]: OPEN_ORDER } },
    ...(known === null && { [sender]: { balance: 2n * gas * fees.maxFeePerGas } }),
  }
  try {
    await node.call({ from: sender, ...call, gas, ...offeredAs(chain, fees), overrides })
    return null
  } catch (error) {
    if (isWithoutOverrides(error)) return UNPROVABLE
    if (isRevert(error) || isOutOfGas(error)) return `it is a contract, and rejects the payout or takes more than ${gas} gas`
    throw asChainFailure(error, `paying ${paid.redeemer}`)
  }
}
