/**
 * Gas for recipients must not use up the coin that other payouts need for their fees. An order is taken only while there is enough of it, but all orders that
 * were made at such a time may be funded at once.
 */
import type { PublicKey } from '@tandem/keys/key.ts'
import type { Database } from '../store/database/database.ts'
import { readOpenPayouts } from '../store/orders/open-payouts.ts'
import type { Step } from './party.ts'

/** Fees may rise to this multiple of the current ones until a transaction is sent. */
export const PEAK_FACTOR = 4n

/** The step is leased, so its own gas is among that which is begun. */
export async function leavesEnough({ db }: { readonly db: Database }, { client, state, leg }: Step, key: PublicKey): Promise<boolean> {
  if (client.legCost === undefined) return true
  const { chain, terms } = state.order[leg]
  const [{ redeem, kept = 0n }, open, balance] = await Promise.all([
    client.legCost(terms.asset),
    readOpenPayouts(db, chain),
    client.balance(client.chain.nativeAsset, client.addressOf(key)),
  ])
  return balance >= kept + open.count * PEAK_FACTOR * redeem + open.begunGas
}
