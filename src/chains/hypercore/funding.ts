/** The calls that fund a swap: they move the tokens from the spot account to HyperEVM, then to the address of the order. */
import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import type { Funding } from '../../protocol/funding/funding.ts'
import type { GasAdvice } from '../evm/fees/gas.ts'
import { type HtlcContract, initiateTypedData, REVOKE_GAS, revokeData } from '../evm/htlc.ts'
import type { FundingRequest } from '../port/client.ts'
import { CORE_WRITER, spotSendData, systemAddressOf } from './core.ts'
import { depositAddressOf, reclaimDepositData, tokenOf } from './htlc.ts'
import type { TokenLink } from './token-link.ts'

/** Hyperliquid's documentation: "in practice the gas usage for a basic call will be ~47000". */
const CORE_WRITER_GAS = 100_000n
/** Three times what it takes with a plain token. */
const RECLAIM_GAS = 500_000n

export async function fundingOf(
  gas: GasAdvice,
  contract: HtlcContract,
  { coreToken, evmPerCore }: TokenLink,
  { terms, deadline, payer }: FundingRequest,
): Promise<Funding<'calls'>> {
  const { chainId } = contract
  const to = tokenOf(contract)
  const from = (payer ?? terms.initiator).toLowerCase() as Address
  const deposit = depositAddressOf(contract, { terms, deadline })
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [deposit, terms.amount * evmPerCore] })
  const moveData = spotSendData({ to: systemAddressOf(coreToken), token: coreToken, amount: terms.amount })
  return {
    kind: 'calls',
    numbers: 'hex',
    transfer: { chainId, to: CORE_WRITER, data: moveData, value: 0n, gasLimit: CORE_WRITER_GAS },
    approval: null,
    initiate: { chainId, to, data, value: 0n, gasLimit: await gas.forPayer({ from, to, data, value: 0n }, 'initiate') },
    reclaim: { chainId, to: contract.address, data: reclaimDepositData({ terms, deadline }), value: 0n, gasLimit: RECLAIM_GAS },
    revoke: { chainId, to: contract.address, data: revokeData(terms), value: 0n, gasLimit: REVOKE_GAS },
    typedData: initiateTypedData(contract, terms),
  }
}
