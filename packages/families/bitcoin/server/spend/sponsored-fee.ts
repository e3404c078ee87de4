/**
 * The fee of a payout of which the recipient bears at most what was promised. The rest comes from one coin of the sponsor, as the last input, with
 * its change as the last output.
 */

import { scriptOfAddress, walletAddress } from '../../terms/script/address.ts'
import { estimateVsize, WALLET_WITNESS } from '../../terms/script/weight.ts'
import { dustLimit, feeOf, largestFee, MAX_RATE_FACTOR, outbiddingFee, replacementFee, urgencyOf } from '../../terms/wallet/fees.ts'
import type { SpendableCoin } from '../../terms/wallet/sign.ts'
import type { BuildRequest } from '../execute.ts'
import type { Execution, HeldExecution, KnownAttempt } from '../execution.ts'
import { freeCoins } from '../wallet/fee-coins.ts'
import { readSponsorCoins, type SponsorCoins } from './sponsor-coins.ts'

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

export type SponsoredPlan = Pick<SponsoredFee, 'fee'> & {
  /** Of the sponsor's own wallet. */
  readonly script: Uint8Array
  readonly mostFee: bigint
  readonly leastCoin: bigint
}

/** The fee with a coin of the sponsor. Null if there is no sponsor, it cannot help, or the recipient has bumped the fee itself. */
export function planSponsoredFee(
  { network, outbox: { sponsor } }: Execution,
  { total, mostFee, witnesses, outputScript }: PromisedSpend,
  { feeRate, replaced }: BuildRequest,
): SponsoredPlan | null {
  if (sponsor === undefined) return null
  const script = scriptOfAddress(walletAddress(sponsor.key.publicKey, network), network)
  const vsize = estimateVsize([...witnesses, WALLET_WITNESS], [outputScript, script])
  const wanted = replacementFee(vsize, feeRate, replaced, network)
  // BIP125 rule 3: a replacement also pays for the payee's own child. Do not outbid that one: with it, the payee has bumped the fee itself.
  if (wanted > feeOf(vsize, feeRate) * MAX_RATE_FACTOR) return null
  const most = largestFee(total, vsize, network)
  const fee = wanted < most ? wanted : most
  if (fee <= mostFee || total - mostFee < dustLimit(outputScript, network)) return null
  if (fee < (replaced === null ? feeOf(vsize, network.minFeeRate) : outbiddingFee(vsize, replaced, network))) return null
  return { fee, script, mostFee, leastCoin: fee - mostFee + dustLimit(script, network) }
}

/** The coins that may pay it, read without the sponsor's key; null if none can, or they cannot be read. */
export async function coinsFor(
  execution: Execution,
  { leastCoin }: SponsoredPlan,
  live: KnownAttempt | null,
): Promise<SponsorCoins | null> {
  const { sponsor } = execution.outbox
  const coins = sponsor === undefined ? null : await readSponsorCoins(execution, sponsor.key.publicKey, live)
  if (coins === null) return null
  const isEnough = ({ amount }: SpendableCoin) => amount >= leastCoin
  const enough = { used: coins.used.filter(isEnough), unspent: coins.unspent.filter(isEnough) }
  return enough.used.length + enough.unspent.length > 0 ? enough : null
}

/** Under the sponsor's key. Null if other actions use all coins, or the budget is used up. */
export async function chargeSponsor(
  held: HeldExecution,
  { fee, script, mostFee }: SponsoredPlan,
  { used, unspent }: SponsorCoins,
): Promise<SponsoredFee | null> {
  const [coin] = [...used, ...freeCoins(held, unspent)]
  if (coin === undefined || !(await held.outbox.sponsor?.charge(fee - mostFee))) return null
  return { coin, change: { amount: coin.amount + mostFee - fee, script }, fee }
}

/**
 * Without a sponsor, a payout is sent at the promised fee for as long as that is safe. It may cost more once time runs out, or where a transaction cannot be
 * replaced later: otherwise the recipient could lose all of it.
 */
export function mayExceedPromise({ chain, network, outbox }: Execution): boolean {
  return !network.replaces || urgencyOf(outbox.secondsLeft, chain.feeBumpSeconds).isUrgent
}
