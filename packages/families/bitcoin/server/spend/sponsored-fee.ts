/**
 * Computes the fee of a payout whose recipient bears at most the promised fee. One coin of the sponsor pays the difference: it is the last
 * input, and its change is the last output.
 */
import { scriptOfAddress, walletAddress } from '../../terms/script/address.ts'
import { estimateVsize, WALLET_WITNESS } from '../../terms/script/weight.ts'
import { dustLimit, feeCap, feeOf, MAX_RATE_FACTOR, outbiddingFee, replacementFee, urgencyOf } from '../../terms/wallet/fees.ts'
import type { SpendableCoin } from '../../terms/wallet/sign.ts'
import type { BuildRequest } from '../execute.ts'
import type { Execution, HeldExecution, KnownAttempt } from '../execution.ts'
import { freeCoins, readSponsorCoins, type SponsorCoins } from './sponsor-coins.ts'

export type SponsoredFee = {
  readonly coin: SpendableCoin
  readonly change: { readonly amount: bigint; readonly script: Uint8Array }
  readonly fee: bigint
}

export type PromisedSpend = {
  readonly total: bigint
  readonly maxFee: bigint
  readonly witnesses: readonly (readonly number[])[]
  readonly outputScript: Uint8Array
}

export type SponsoredPlan = Pick<SponsoredFee, 'fee'> & {
  readonly script: Uint8Array
  readonly maxFee: bigint
  readonly minCoin: bigint
}

/** The result is null if there is no sponsor, it cannot help, or the recipient has bumped the fee itself. */
export function planSponsoredFee(
  { network, outbox: { sponsor } }: Execution,
  { total, maxFee, witnesses, outputScript }: PromisedSpend,
  { feeRate, replaced }: BuildRequest,
): SponsoredPlan | null {
  if (sponsor === undefined) return null
  const script = scriptOfAddress(walletAddress(sponsor.key.publicKey, network), network)
  const vsize = estimateVsize([...witnesses, WALLET_WITNESS], [outputScript, script])
  const wanted = replacementFee(vsize, feeRate, replaced, network)
  // BIP125 rule 3: a replacement also pays for the payee's own child. We do not outbid it: with it, the payee has bumped the fee itself.
  if (wanted > feeOf(vsize, feeRate) * MAX_RATE_FACTOR) return null
  const cap = feeCap(total, vsize, network)
  const fee = wanted < cap ? wanted : cap
  if (fee <= maxFee || total - maxFee < dustLimit(outputScript, network)) return null
  if (fee < (replaced === null ? feeOf(vsize, network.minFeeRate) : outbiddingFee(vsize, replaced, network))) return null
  return { fee, script, maxFee, minCoin: fee - maxFee + dustLimit(script, network) }
}

/** The coins are read without the sponsor's key. The result is null if none can pay, or they cannot be read. */
export async function coinsFor(execution: Execution, { minCoin }: SponsoredPlan, live: KnownAttempt | null): Promise<SponsorCoins | null> {
  const { sponsor } = execution.outbox
  const coins = sponsor === undefined ? null : await readSponsorCoins(execution, sponsor.key.publicKey, live)
  if (coins === null) return null
  const isEnough = ({ amount }: SpendableCoin) => amount >= minCoin
  const enough = { used: coins.used.filter(isEnough), unspent: coins.unspent.filter(isEnough) }
  return enough.used.length + enough.unspent.length > 0 ? enough : null
}

/** The caller holds the sponsor's key. The result is null if other actions use all coins, or the budget is used up. */
export async function chargeSponsor(
  held: HeldExecution,
  { fee, script, maxFee }: SponsoredPlan,
  { used, unspent }: SponsorCoins,
): Promise<SponsoredFee | null> {
  const [coin] = [...used, ...freeCoins(held, unspent)]
  if (coin === undefined || !(await held.outbox.sponsor?.charge(fee - maxFee))) return null
  return { coin, change: { amount: coin.amount + maxFee - fee, script }, fee }
}

/**
 * Without a sponsor, a payout is sent at the promised fee for as long as that is safe. It may cost more once time runs out, or where a
 * transaction cannot be replaced later: otherwise the recipient could lose all of it.
 */
export function mayExceedPromise({ chain, network, outbox }: Execution): boolean {
  return !network.replaces || urgencyOf(outbox.secondsLeft, chain.feeBumpSeconds).isUrgent
}
