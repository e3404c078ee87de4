/**
 * The fee of a payout of which the recipient bears at most what was promised. The rest comes from one coin of the sponsor, as the last input, with
 * its change as the last output.
 */
import { ChainFailure } from '../../port/failure.ts'
import type { Outbox } from '../../port/outbox.ts'
import type { BuildRequest } from '../execute.ts'
import type { Execution, HeldExecution } from '../execution.ts'
import { scriptOfAddress, walletAddress } from '../script/address.ts'
import { estimateVsize, WALLET_WITNESS } from '../script/weight.ts'
import { feeCoins } from '../wallet/fee-coins.ts'
import { dustLimit, feeOf, largestFee, MAX_RATE_FACTOR, outbiddingFee, replacementFee, urgencyOf } from '../wallet/fees.ts'
import type { SpendableCoin } from '../wallet/sign.ts'

/** A node without an index searches all outputs. Far below the time for which a key may be held. */
const COINS_TIMEOUT_MS = 15_000

export type SponsoredFee = {
  readonly coin: SpendableCoin
  /** What is left of the coin, to the sponsor's own wallet. */
  readonly change: { readonly amount: bigint; readonly script: Uint8Array }
  readonly fee: bigint
}

export type PromisedSpend = {
  /** Of the deposits. */
  readonly total: bigint
  readonly mostFee: bigint
  /** Per deposit, the length of each witness item. */
  readonly witnesses: readonly (readonly number[])[]
  readonly outputScript: Uint8Array
}

/** Null if no coin can pay it, the budget is used up, or the recipient has bumped the fee itself. Under the sponsor's key. */
export async function planSponsoredFee(
  execution: HeldExecution,
  { total, mostFee, witnesses, outputScript }: PromisedSpend,
  { feeRate, replaced, live }: BuildRequest,
): Promise<SponsoredFee | null> {
  const { network, outbox, sponsor } = execution
  if (sponsor === undefined || outbox.sponsor === undefined) return null
  const script = scriptOfAddress(walletAddress(sponsor.publicKey, network), network)
  const vsize = estimateVsize([...witnesses, WALLET_WITNESS], [outputScript, script])
  const wanted = replacementFee(vsize, feeRate, replaced, network)
  // BIP125 rule 3: a replacement also pays for the payee's own child. Do not outbid that one: with it, the payee has bumped the fee itself.
  if (wanted > feeOf(vsize, feeRate) * MAX_RATE_FACTOR) return null
  const most = largestFee(total, vsize, network)
  const fee = wanted < most ? wanted : most
  if (fee <= mostFee || total - mostFee < dustLimit(outputScript, network)) return null
  if (fee < (replaced === null ? feeOf(vsize, network.minFeeRate) : outbiddingFee(vsize, replaced, network))) return null
  const changeOf = ({ amount }: SpendableCoin) => amount + mostFee - fee
  const coins = await coinsInTime(feeCoins(execution, sponsor.publicKey, live))
  const coin = coins.find((one) => changeOf(one) >= dustLimit(script, network))
  if (coin === undefined || !(await outbox.sponsor.charge(fee - mostFee))) return null
  return { coin, change: { amount: changeOf(coin), script }, fee }
}

/** None if nodes disagree, fail or are slow: a payout must not wait for the coins of another. */
async function coinsInTime(reading: Promise<readonly SpendableCoin[]>): Promise<readonly SpendableCoin[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<readonly SpendableCoin[]>((resolve) => {
    timer = setTimeout(() => resolve([]), COINS_TIMEOUT_MS)
  })
  try {
    return await Promise.race([reading, late])
  } catch (error) {
    if (error instanceof ChainFailure) return []
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Without a sponsor, a payout is sent at the promised fee for as long as that is safe. It may cost more once time runs out, or where a transaction cannot be
 * replaced later: otherwise the recipient could lose all of it.
 */
export function mayExceedPromise({ chain, network, outbox }: Execution): boolean {
  return !network.replaces || urgencyOf(outbox.secondsLeft, chain.feeBumpSeconds).isUrgent
}

/** The hold that a fee beyond the promise needs. */
export function sponsorHold({ sponsor }: Outbox): Outbox['withKey'] | null {
  return sponsor === undefined ? null : (work) => sponsor.withKey(work)
}
