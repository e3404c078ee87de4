// Starts a chain for tests: STRK, WBTC and our HTLC are deployed, and accounts own both tokens.
import { randomBytes } from 'node:crypto'
import { accountOfKey } from './account-keys.ts'
import { STRK_ADDRESS } from './chain/genesis.ts'
import { hex, selectorOf } from './felt.ts'
import { deployLocalContracts, transferCall } from './local-contracts.ts'
import { createLocalSender, type LocalSender } from './local-sender.ts'
import { type StarknetChain, type StarknetChainOptions, startStarknetChain } from './starknet-chain.ts'

export type RpcFailure = { readonly code: number; readonly message: string; readonly data?: unknown }

export type FixtureAccount = {
  readonly privateKey: string
  readonly address: `0x${string}`
  readonly publicKey: `0x${string}`
  readonly sender: LocalSender
}

export interface StarknetFixture {
  readonly chain: StarknetChain
  readonly url: string
  readonly strk: `0x${string}`
  readonly wbtc: `0x${string}`
  readonly htlc: `0x${string}`
  /** Each account has STRK and 1,000 WBTC. */
  readonly accounts: readonly [FixtureAccount, FixtureAccount, FixtureAccount]
  call(method: string, params?: object): Promise<unknown>
  failure(method: string, params?: object): Promise<RpcFailure>
  post(body: string): Promise<string>
  fund(token: `0x${string}`, address: string, amount: bigint): void
  balance(token: `0x${string}`, address: string): Promise<bigint>
  close(): Promise<void>
}

const BALANCE_OF = hex(selectorOf('balance_of'))
const WBTC_PER_ACCOUNT = 100_000_000_000n
/** The keys are fixed, because computing the address of an account takes a while. */
const keys = ['0x1001', '0x1002', '0x1003', '0x1004'] as const

export function newKey(): `0x${string}` {
  return `0x0${randomBytes(31).toString('hex')}`
}

export async function openStarknetFixture(options: Omit<StarknetChainOptions, 'keys'> = {}): Promise<StarknetFixture> {
  const chain = await startStarknetChain({ mining: 'manual', ...options, keys })
  const [faucet, ...owners] = keys.map((key) => createLocalSender(chain.node, key)) as [LocalSender, LocalSender, LocalSender, LocalSender]
  const { wbtc, htlc } = deployLocalContracts(faucet)
  faucet.execute(owners.map(({ address }) => transferCall(wbtc, address, WBTC_PER_ACCOUNT)))

  async function post(body: string): Promise<string> {
    return (await fetch(chain.url, { method: 'POST', body })).text()
  }

  async function ask(method: string, params: object): Promise<{ readonly result?: unknown; readonly error?: RpcFailure }> {
    return JSON.parse(await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))
  }

  async function call(method: string, params: object = {}): Promise<unknown> {
    const { result, error } = await ask(method, params)
    if (error !== undefined) throw Object.assign(new Error(error.message), error)
    return result
  }

  return {
    chain,
    url: chain.url,
    strk: hex(STRK_ADDRESS),
    wbtc: hex(wbtc),
    htlc: hex(htlc),
    accounts: owners.map((sender) => ({
      privateKey: sender.privateKey,
      address: hex(sender.address),
      publicKey: hex(accountOfKey(sender.privateKey).publicKey),
      sender,
    })) as unknown as StarknetFixture['accounts'],
    call,
    async failure(method, params = {}) {
      const { result, error } = await ask(method, params)
      if (error === undefined) throw new Error(`${method} succeeded: ${JSON.stringify(result)}`)
      return error
    },
    post,
    fund(token, address, amount) {
      faucet.execute([transferCall(BigInt(token), BigInt(address), amount)])
    },
    async balance(token, address) {
      const request = { contract_address: token, entry_point_selector: BALANCE_OF, calldata: [address] }
      const [low, high] = (await call('starknet_call', { request, block_id: 'latest' })) as readonly [string, string]
      return BigInt(low) + BigInt(high) * 2n ** 128n
    },
    close: () => chain.close(),
  }
}
