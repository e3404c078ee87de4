/** The solver must hold enough to fill orders. */
import type { ListedAsset } from '@tandem/protocol/registry/registry.ts'
import { type Check, type Finding, fail, ok, reasonOf, warn } from '../check.ts'
import { readKeys } from './fees.ts'

export const inventory: Check = {
  name: 'inventory',
  async run(context) {
    if (context.party !== 'solver') return []
    const keys = await readKeys(context)
    if (keys === null) return []
    const healthy = await context.healthyChains()
    const active = context.network.registry.assets.filter((asset) => healthy.has(asset.chain) && asset.deployment !== null)
    const held = await Promise.all(
      active.map(async (asset) => {
        const client = context.network.clients.get(asset.chain)
        const address = client?.addressOf(keys.of(client)) ?? ''
        try {
          const balance = (await client?.balance(asset.id, address)) ?? 0n
          return { balance, finding: holdingFinding(asset, address, balance) }
        } catch (error) {
          const finding = warn(asset.id, `the balance of ${address} cannot be read: ${reasonOf(error)}`, 'read the log of its node')
          return { balance: null, finding }
        }
      }),
    )
    const nothing = held.length > 0 && held.every(({ balance }) => balance === 0n)
    const empty = fail('all assets', 'the solver holds nothing, so it cannot fill any order', 'fund at least one of the addresses above')
    return [...held.map(({ finding }) => finding), ...(nothing ? [empty] : [])]
  },
}

function holdingFinding({ id, minAmount }: ListedAsset, address: string, balance: bigint): Finding {
  if (balance >= minAmount) return ok(id, `${address} holds ${balance} (smallest unit)`)
  return warn(
    id,
    `${address} holds ${balance}, less than the smallest order of ${minAmount}`,
    `send some to ${address}, so that users can swap to ${id}`,
  )
}
