/** For every pair of served chains the source outlives the destination. Warns of chains with an unreliable clock. */
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
