/** Finds the network of a chain of the registry. */
import type { Chain } from '@tandem/protocol/chain.ts'

/** The public networks have these ids ("NetworkID" at xrpl.org). */
const PUBLIC_NETWORKS: Readonly<Record<string, number>> = { mainnet: 0, testnet: 1, devnet: 2 }

/** The reference is 'xrpl:testnet' or 'xrpl:31340'. */
export function networkIdOf({ id, reference }: Pick<Chain, 'id' | 'reference'>): number {
  const name = /^xrpl:([a-z]+|[0-9]{1,9})$/.exec(reference)?.[1]
  const network = name === undefined ? undefined : (PUBLIC_NETWORKS[name] ?? Number(name))
  if (network === undefined || !Number.isSafeInteger(network))
    throw new Error(`chain ${id} has the reference "${reference}", expected xrpl:<network>`)
  return network
}

/** X-addresses say whether they are for a test network. */
export function isTestNetwork(chain: Pick<Chain, 'id' | 'reference'>): boolean {
  return networkIdOf(chain) !== PUBLIC_NETWORKS.mainnet
}

/** Transactions name their network only above this id: older networks refuse the field. See "NetworkID" at xrpl.org. */
const LAST_UNNAMED_NETWORK = 1024

export function networkField(chain: Pick<Chain, 'id' | 'reference'>): { readonly NetworkID?: number } {
  const NetworkID = networkIdOf(chain)
  return NetworkID > LAST_UNNAMED_NETWORK ? { NetworkID } : {}
}
