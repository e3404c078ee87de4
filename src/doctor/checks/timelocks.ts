/** For every two chains served, the source outlives the destination; where a chain's clock cannot promise that, it is said. */
import { assertTimelocksSafe } from '../../protocol/timelock.ts'
import { type Check, fail, ok, reasonOf, warn } from '../check.ts'

export const timelocks: Check = {
  name: 'timelocks',
  async look({ network }) {
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
          return [fail(`${source.id} -> ${destination.id}`, reasonOf(error), 'this pair is refused; take one of the two chains out')]
        }
      }),
    )
    const exceptions = served.flatMap(({ id, clockException }) =>
      clockException === undefined
        ? []
        : [warn(id, clockException, 'serve it for trying things out only, or keep its amounts small in limits')],
    )
    const safe = unsafe.length === 0 && served.length > 0 ? [ok('all', `safe for every pair of ${served.length} chains`)] : []
    return [...safe, ...unsafe, ...exceptions]
  },
}
