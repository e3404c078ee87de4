/**
 * Decides whether an account can pay for one more transaction beside those in flight. Strangers cause some of these, e.g. relays. They must
 * not use up the funds that redeems need, recorded or still to come.
 */
import type { Numbered } from './nonces.ts'
import { ShortOfCoin } from './payout-gas.ts'

/** Transactions that are not obligatory leave enough for this many redeems. */
export const REDEEMS_KEPT = 4n

export type Needs = {
  readonly cost: bigint
  readonly inFlight: bigint
  readonly kept: bigint
}

export function findShortage(
  { address, coin, balance }: { readonly address: string; readonly coin: string; readonly balance: bigint },
  { cost, inFlight, kept }: Needs,
): ShortOfCoin | null {
  if (balance >= cost + inFlight + kept) return null
  const reserved = inFlight === 0n ? '' : `, ${inFlight} of it reserved for unmined transactions`
  const keeps = kept === 0n ? '' : `, and keeps ${kept} for redeems and refunds`
  return new ShortOfCoin(`${address} holds ${balance} of ${coin}${reserved}, needs ${cost} with all fees${keeps}`)
}

/** Only one of several transactions at one nonce is mined. It may be any of them, so the most expensive counts. */
export function costInFlight<S extends Numbered>(unmined: readonly S[], costOf: (signed: S) => bigint): bigint {
  const byNonce = new Map<bigint, bigint>()
  for (const signed of unmined) {
    const cost = costOf(signed)
    if (cost > (byNonce.get(signed.nonce) ?? 0n)) byNonce.set(signed.nonce, cost)
  }
  return [...byNonce.values()].reduce((sum, cost) => sum + cost, 0n)
}
