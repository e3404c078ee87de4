import { createTandem, newRescueKeys, rescueKeys, type TandemOptions, viemWallet } from '@tandem/sdk'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { openUser } from './user.ts'

/** A browser, and an app around the SDK. The contracts of local chains are in no registry. */
export async function prepare() {
  const user = await openUser()
  const items = new Map<string, string>()
  const localStorage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  }
  const { assets: deployments, rpc_url: rpc } = user.chain('ethereum_localnet')
  const { esplora_url: esplora } = user.chain('bitcoin_regtest')
  const account = privateKeyToAccount(user.keyOn('ethereum_localnet') as `0x${string}`)
  const { base_url: baseUrl, app_id: appId } = user.info
  const chains = (await user.api.call('GET', '/chains')) as readonly { readonly chain: string; readonly solver_keys: readonly string[] }[]
  const solverKeys = Object.fromEntries(chains.map(({ chain, solver_keys: keys }) => [chain, keys]))
  const { phrase } = await newRescueKeys(localStorage)
  return {
    newRescueKeys,
    rescueKeys,
    createTandem: (options: TandemOptions) => createTandem({ ...options, deployments, storage: localStorage }),
    ...{ localStorage, baseUrl, appId, rpc, esplora, phrase, solverKeys },
    nodes: { ethereum_localnet: rpc, bitcoin_regtest: esplora },
    wallet: viemWallet(createWalletClient({ account, transport: http(String(rpc)) })),
    minToAmount: 1n,
    ...{ userAgreed: () => true, show: () => undefined, onProgress: () => undefined, signal: new AbortController().signal },
    done: async () => undefined,
  }
}
