/** An asset without a price is not quoted. */
import { type Check, ok, warn } from '../check.ts'

export const prices: Check = {
  name: 'prices',
  async run({ config, network }) {
    const active = network.registry.assets.filter((asset) => asset.deployment !== null)
    if (active.length === 0) return []
    const unpriced = active.filter(({ id }) => !/[1-9]/.test(config.prices[id] ?? ''))
    const missing = unpriced.map(({ id }) => warn(id, 'is active and has no price, so it is not quoted', `give it one in prices.${id}`))
    return missing.length > 0 ? missing : [ok('all', `${active.length} active assets have one`)]
  },
}
