/** The source must outlive the destination for every pair of served chains. Chains with an unreliable clock get a warning. */

import { readIgnoredDeposits } from '@tandem/party/store/chain/ignored-deposits.ts'
import { assertTimelocksSafe } from '@tandem/protocol/timelock.ts'
import { type Check, fail, ok, reasonOf, warn } from '../check.ts'

export const timelocks: Check = {
  name: 'timelocks',
  async run({ network }) {
    const { registry } = network
    const activeOn = (chain: string) => registry.assetsOf(chain).filter((asset) => asset.deployment !== null).length
    const served = registry.chains.filter((chain) => activeOn(chain.id) > 0)
    const unsafe = served.flatMap((source) =>
      served.flatMap((destination) => {
        if (source === destination && activeOn(source.id) < 2) return []
        try {
          assertTimelocksSafe(source, destination)
          return []
        } catch (error) {
          return [
            fail(`${source.id} -> ${destination.id}`, reasonOf(error), 'orders for this pair are refused; remove one of the two chains'),
          ]
        }
      }),
    )
    const exceptions = served.flatMap(({ id, clockException }) =>
      clockException === undefined ? [] : [warn(id, clockException, 'use it for tests only, or set small amounts in limits')],
    )
    const safe = unsafe.length === 0 && served.length > 0 ? [ok('all', `safe for every pair of ${served.length} chains`)] : []
    return [...safe, ...unsafe, ...exceptions]
  },
}

const TIMEOUT_MS = 30_000
const MAX_SHOWN = 20

export const deposits: Check = {
  name: 'deposits',
  async run({ party, config, readSecret, path }) {
    const url = party === 'service' ? await readSecret(config.database_url).catch(() => null) : null
    if (url === null) return []
    // The check of the database reports why it cannot be read.
    const ignored = await readIgnoredDeposits(url, MAX_SHOWN, TIMEOUT_MS).catch(() => null)
    if (ignored === null) return []
    if (ignored.length === 0) return [ok('all', 'each is refunded automatically if it is not paid for')]
    return ignored.map(({ orderId, chain, deposits: count, amount }) =>
      warn(
        orderId,
        `${count} deposits on ${chain}, ${amount} in all, are not refunded automatically: the order has too many`,
        `after their timelock: tandem refund --order ${orderId} --config ${path} --node KIND=URL --broadcast (docs/refunds.md)`,
      ),
    )
  },
}
