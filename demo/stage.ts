/** Finds the running local stack, or starts one, and gives the demo a user with wallets on every chain. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startClaimedStack } from '../src/local/claimed-stack.ts'
import { LOCAL_FOLDER } from '../src/local/local-folder.ts'
import type { LocalJson } from '../src/local/local-json.ts'
import type { CoinChainName, EvmChainName } from '../src/local/local-network.ts'
import { createLogger } from '../src/log.ts'
import { type ApiClient, createApiClient } from './client/api-client.ts'
import { type BitcoinWallet, createBitcoinWallet } from './client/bitcoin-wallet.ts'
import { createEvmWallet, type EvmWallet } from './client/evm-wallet.ts'

export interface Stage {
  readonly info: LocalJson
  readonly api: ApiClient
  readonly bitcoin: BitcoinWallet
  readonly litecoin: BitcoinWallet
  readonly evm: Readonly<Record<EvmChainName, EvmWallet>>
  /** What the demo's user has of an asset. */
  balance(asset: string): Promise<bigint>
  /** The user's own address for an asset. */
  ownerOf(asset: string): string
  /** An asset's contracts, where it has some. */
  contractsOf(asset: string): { readonly token: string; readonly htlc: string }
  mine(chain: CoinChainName, blocks: number): Promise<void>
  setSolverRunning(running: boolean): Promise<void>
  close(): Promise<void>
}

export async function openStage(onProgress: (what: string) => void): Promise<Stage> {
  const running = await findRunningStack()
  if (running !== null) return describeStage(running, async () => undefined)
  onProgress('no stack is running: starting one for the demo')
  const stack = await startClaimedStack({ port: 0, log: createLogger({ name: 'demo', level: 'warn' }) })
  return describeStage(stack.info, stack.stop)
}

async function findRunningStack(): Promise<LocalJson | null> {
  let info: LocalJson
  try {
    info = JSON.parse(await readFile(join(LOCAL_FOLDER, 'local.json'), 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  try {
    const answer = await fetch(new URL('/livez', info.base_url))
    return answer.ok ? info : null
  } catch {
    // Nobody listens there: the file is what a killed stack left behind.
    return null
  }
}

/** Wallets and calls for the first user that `local.json` names. */
export function describeStage(info: LocalJson, close: () => Promise<void>): Stage {
  const chain = (id: string) => {
    const known = info.chains[id]
    if (known === undefined) throw new Error(`local.json names no chain ${id}`)
    return known
  }
  const walletKey = (id: string) => {
    const wallet = info.wallets.find(({ chains }) => chains.includes(id))
    if (wallet === undefined) throw new Error(`local.json names no wallet on ${id}`)
    return wallet.private_key
  }
  const evmWallet = (id: EvmChainName) =>
    createEvmWallet({ rpcUrl: chain(id).rpc_url, chainId: chain(id).chain_id ?? 0, privateKey: walletKey(id) })
  const coinWallet = (id: CoinChainName) =>
    createBitcoinWallet({ network: chain(id).network, esploraUrl: chain(id).esplora_url ?? '', privateKey: walletKey(id) })
  const coins = { bitcoin_regtest: coinWallet('bitcoin_regtest'), litecoin_regtest: coinWallet('litecoin_regtest') }
  const evm = { ethereum_localnet: evmWallet('ethereum_localnet'), arbitrum_localnet: evmWallet('arbitrum_localnet') }
  const chainOf = (asset: string) => asset.split(':')[0] ?? ''
  const evmOf = (asset: string) => evm[chainOf(asset) as EvmChainName]
  const coinsOf = (asset: string): BitcoinWallet | undefined => coins[chainOf(asset) as CoinChainName]

  return {
    info,
    api: createApiClient({ baseUrl: info.base_url, appId: info.app_id }),
    bitcoin: coins.bitcoin_regtest,
    litecoin: coins.litecoin_regtest,
    evm,
    contractsOf(asset) {
      const { token, htlc } = chain(chainOf(asset)).assets[asset] ?? {}
      if (token === undefined || htlc === undefined) throw new Error(`${asset} is not a token`)
      return { token, htlc }
    },
    ownerOf: (asset) => (coinsOf(asset) ?? evmOf(asset)).address,
    balance(asset) {
      const wallet = coinsOf(asset)
      if (wallet !== undefined) return wallet.balance(wallet.address)
      return evmOf(asset).balance(evmOf(asset).address, chain(chainOf(asset)).assets[asset]?.token)
    },
    async mine(id, blocks) {
      // To nobody: blocks mined for the demo must not pay the demo's user.
      const params = [blocks, coins[id].nobody]
      await post(chain(id).rpc_url, { jsonrpc: '1.0', id: 1, method: 'generatetoaddress', params })
    },
    async setSolverRunning(on) {
      await post(info.solver_switch_url, { running: on })
    },
    close,
  }
}

async function post(url: string, body: unknown): Promise<void> {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${new URL(url).pathname} answered ${answer.status}: ${await answer.text()}`)
}
