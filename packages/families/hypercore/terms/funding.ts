/** Makes the calls that fund a swap: money goes from the spot account to the payer's account at the HTLC, and the payer consents. */

import type { FundingRequest } from '@tandem/chain-kit/port/client.ts'
import { type HtlcContract, initiateTypedData, REVOKE_GAS, revokeData } from '@tandem/evm/terms/htlc.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import { CORE_WRITER, spotSendData } from './core.ts'
import { accountAt, initiateFromAccountData, ownerOf, withdrawData } from './htlc.ts'

/** Hyperliquid's documentation: "in practice the gas usage for a basic call will be ~47000". */
const CORE_WRITER_GAS = 100_000n
/** Each takes less than half with a plain token. An estimate is impossible, because the gas depends on where the money is by then. */
const INITIATE_GAS = 500_000n
const RECLAIM_GAS = 500_000n

/** `crossing` is the value of `initiate` for the transfer to HyperEVM, in wei. */
export function fundingOf(
  contract: HtlcContract,
  coreToken: bigint,
  crossing: bigint,
  { terms, deadline, payer }: Omit<FundingRequest, 'approval'>,
): Omit<Funding<'calls'>, 'note'> {
  const { chainId, address: to } = contract
  const moveData = spotSendData({ to: accountAt(contract, ownerOf({ terms, payer })), token: coreToken, amount: terms.amount })
  return {
    kind: 'calls',
    numbers: 'hex',
    transfer: { chainId, to: CORE_WRITER, data: moveData, value: 0n, gasLimit: CORE_WRITER_GAS },
    approval: null,
    initiate: { chainId, to, data: initiateFromAccountData({ terms, deadline }), value: crossing, gasLimit: INITIATE_GAS },
    reclaim: { chainId, to, data: withdrawData(coreToken), value: 0n, gasLimit: RECLAIM_GAS },
    revoke: { chainId, to, data: revokeData(terms), value: 0n, gasLimit: REVOKE_GAS },
    typedData: initiateTypedData(contract, terms),
  }
}
