/** Grants inventory to orders with a deposit, one by one for each asset, so that firm reservations never exceed the balance. */

import { withLock } from '@tandem/party/store/actions/leases.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { shareStatements, type Waiting } from '@tandem/party/store/database/share-statements.ts'
import { putReservations, type Reservation } from '@tandem/party/store/solver/reservations.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Reservations } from './reservations.ts'

export interface Grants {
  /** Returns null if the amount is reserved, else the reason why not. A repeat with a larger amount reserves the difference too. */
  reserve(wanted: Reservation): Promise<string | null>
  /** Runs `work` between two grants of this asset, in any process. */
  whileNotGranting<T>(asset: AssetId, work: () => Promise<T>): Promise<T>
}

type Asked = Waiting<Reservation, string | null>

/**
 * A grant holds one database connection and needs a second one. All grants and key holds (`engine/key-hold.ts`) together must leave some
 * connections of the pool free: otherwise every holder would wait for a connection for ever.
 */
const MAX_GRANTING = 4

export function createGrants(options: {
  readonly db: Database
  readonly reservations: Reservations
  readonly balanceOf: (asset: AssetId) => Promise<bigint>
  /** Returns why the cap of the pair refuses the order, or null. It is called under the lock, when all earlier grants are recorded. */
  readonly whyOverCap?: (orderId: string) => Promise<string | null>
}): Grants {
  const { db, reservations, balanceOf, whyOverCap } = options
  const queues = new Map<AssetId, (wanted: Reservation) => Promise<string | null>>()
  const inSlot = createSlots(MAX_GRANTING)

  /** Reservations are read before the balance: a payment that is mined in between counts twice, but is never missed. */
  async function grantAll(asset: AssetId, batch: readonly Asked[]): Promise<void> {
    try {
      const answers = await inSlot(chainIn(asset), () =>
        withLock(db, lockOf(asset), async (connection) => {
          const firm = new Map(await reservations.firm(asset))
          const balance = await balanceOf(asset)
          const granted: Reservation[] = []
          const given: (string | null)[] = []
          for (const { item } of batch) {
            const sum = [...firm].reduce((total, [orderId, amount]) => (orderId === item.orderId ? total : total + amount), 0n)
            if ((firm.get(item.orderId) ?? 0n) >= item.amount) {
              given.push(null)
              continue
            }
            if (whyOverCap !== undefined) await putReservations(connection, granted.splice(0))
            const why = await refusalOf(item, balance - sum)
            given.push(why)
            if (why !== null) continue
            firm.set(item.orderId, item.amount)
            granted.push(item)
          }
          await putReservations(connection, granted)
          return given
        }),
      )
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] ?? null)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async function refusalOf({ orderId, asset, amount }: Reservation, left: bigint): Promise<string | null> {
    if (amount > left) return `too little of ${asset} is available: ${left > 0n ? left : 0n} of ${amount}`
    return whyOverCap === undefined ? null : whyOverCap(orderId)
  }

  return {
    whileNotGranting: (asset, work) => inSlot(chainIn(asset), () => withLock(db, lockOf(asset), work)),
    reserve(wanted) {
      const queue =
        queues.get(wanted.asset) ??
        shareStatements<Reservation, string | null>((batch) => grantAll(wanted.asset, batch), { maxStatements: 1 })
      queues.set(wanted.asset, queue)
      return queue(wanted)
    },
  }
}

const lockOf = (asset: AssetId) => `reserve ${asset}`

const chainIn = (asset: AssetId) => asset.slice(0, asset.indexOf(':'))

/** At most one job at a time runs for each chain, so that a chain whose nodes hang takes only one slot. */
function createSlots(maxBusy: number): <T>(chain: ChainId, work: () => Promise<T>) => Promise<T> {
  const busy = new Set<ChainId>()
  const waiting: (() => void)[] = []
  return async (chain, work) => {
    while (busy.has(chain) || busy.size >= maxBusy) await new Promise<void>((resolve) => waiting.push(resolve))
    busy.add(chain)
    try {
      return await work()
    } finally {
      busy.delete(chain)
      for (const resolve of waiting.splice(0)) resolve()
    }
  }
}
