/** Gives the local solver its inventory, the service its gas, and three users something to swap. */
import { connectNetwork, type NetworkSettings } from '../engine/network.ts'
import { createSigner } from '../keys/signer.ts'
import type { Registry } from '../protocol/registry/registry.ts'
import type { LocalWallet } from './local-json.ts'
import type { LocalKeys } from './local-keys.ts'
import { localInventory } from './local-money.ts'
import type { LocalNetwork } from './local-network.ts'

export async function fundEveryone(
  network: LocalNetwork,
  keys: LocalKeys,
): Promise<{ readonly wallets: readonly LocalWallet[]; readonly registry: Registry }> {
  const settings = { environment: 'local', chains: listedEndpoints(network), deployments: network.deployments } as const
  const { registry, clients, close } = await connectNetwork(settings, (_chain, error) => {
    throw error
  })
  const wallets = new Map<string, LocalWallet>()
  const users = keys.users.map((key) => ({ key, signer: createSigner(key) }))
  await Promise.all(
    [...clients.values()].map(async (client) => {
      for (const key of [keys.solver, keys.relay, ...keys.users])
        await network.giveGas(client.chain.id, client.addressOf(createSigner(key)))
      for (const asset of registry.assetsOf(client.chain.id)) {
        const { solverAmount, solverCoins, userAmount, relayAmount } = localInventory(asset, client.orderKeys !== undefined)
        for (let coin = 0; coin < solverCoins; coin++) {
          await network.give(asset.id, client.addressOf(createSigner(keys.solver)), solverAmount / BigInt(solverCoins))
        }
        if (relayAmount > 0n) await network.give(asset.id, client.addressOf(createSigner(keys.relay)), relayAmount)
        for (const { key, signer } of users) {
          const address = client.addressOf(signer)
          await network.give(asset.id, address, userAmount)
          const { family, id } = client.chain
          // Families that are related have the same addresses.
          const name = `${family} ${address}`
          wallets.set(name, { family, chains: [...new Set([...(wallets.get(name)?.chains ?? []), id])], private_key: key, address })
        }
      }
    }),
  )
  await Promise.all(Object.values(network.coinChains).map((chain) => chain.mine(1)))
  await close()
  return { wallets: [...wallets.values()], registry }
}

function listedEndpoints(network: LocalNetwork): NetworkSettings['chains'] {
  const listed = (urls: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(urls).map(([kind, url]) => [kind, [url]]))
  return Object.fromEntries(Object.entries(network.endpoints).map(([id, { endpoints }]) => [id, { endpoints: listed(endpoints) }]))
}
