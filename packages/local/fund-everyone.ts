/** The local solvers get their inventories, the service coins for fees, and three users assets to swap. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { createKey } from '@tandem/keys/keyring.ts'
import { connectNetwork, type NetworkSettings } from '@tandem/party/engine/network.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { LocalWalletJson } from './local-json.ts'
import type { LocalKeys, PrivateKeys } from './local-keys.ts'
import type { LocalNetwork } from './local-network.ts'
import { type LocalSolver, servedBy } from './local-prices.ts'

export async function fundEveryone(
  network: LocalNetwork,
  keys: LocalKeys,
  solvers: readonly LocalSolver[],
): Promise<readonly LocalWalletJson[]> {
  const settings = { rows: network.rows, chains: listedEndpoints(network), deployments: network.deployments }
  const { registry, clients, close } = await connectNetwork(settings, (_chain, error) => {
    throw error
  })
  try {
    await Promise.all([...clients.values()].map((client) => fundOn(client, registry, network, keys, solvers)))
    await network.confirmFunding()
    return walletsOf([...clients.values()], keys)
  } finally {
    await close()
  }
}

async function fundOn(
  client: ChainClient,
  registry: Registry,
  network: LocalNetwork,
  keys: LocalKeys,
  solvers: readonly LocalSolver[],
): Promise<void> {
  const serving = solvers.flatMap((solver, index) => {
    const owner = keys.solvers[index]?.inventory
    return owner === undefined || !servedBy(solver, network.chains).includes(client.chain.id) ? [] : [{ solver, owner }]
  })
  for (const owner of [...serving.map(({ owner }) => owner), keys.relay, ...keys.users]) {
    await network.fundGas(client.chain.id, addressOf(client, owner))
    await network.openAccount(client.chain.id, owner)
  }
  for (const asset of registry.assetsOf(client.chain.id)) {
    const { solver, solverPayments, user, relay } = network.balances(asset)
    for (const { owner, solver: profile } of serving) {
      const payment = (solver * profile.inventoryPercent) / 100n / BigInt(solverPayments)
      for (let payments = 0; payments < solverPayments; payments++) await network.fund(asset.id, addressOf(client, owner), payment)
    }
    if (relay > 0n) await network.fund(asset.id, addressOf(client, keys.relay), relay)
    for (const owner of keys.users) await network.fund(asset.id, addressOf(client, owner), user)
  }
}

/** Chains of one family on which a key has the same address are one wallet. */
function walletsOf(clients: readonly ChainClient[], keys: LocalKeys): readonly LocalWalletJson[] {
  const wallets = new Map<string, LocalWalletJson>()
  for (const client of clients) {
    for (const owner of keys.users) {
      const { family, id } = client.chain
      const address = addressOf(client, owner)
      const known = wallets.get(`${family} ${address}`)?.chains ?? []
      wallets.set(`${family} ${address}`, { family, chains: [...known, id], private_key: owner[client.curve], address })
    }
  }
  return [...wallets.values()]
}

function addressOf(client: ChainClient, owner: PrivateKeys): string {
  return client.addressOf(createKey(client.curve, owner[client.curve]))
}

function listedEndpoints(network: LocalNetwork): NetworkSettings['chains'] {
  const listed = (urls: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(urls).map(([kind, url]) => [kind, [url]]))
  return Object.fromEntries(Object.entries(network.endpoints).map(([id, { endpoints }]) => [id, { endpoints: listed(endpoints) }]))
}
