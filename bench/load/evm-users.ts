/** Many users of one EVM route. They cost little: no receipts, no estimates, nonces counted here, and one poll of the destination for all. */
import { decodeEventLog, encodeEventTopics, type Hex, numberToHex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { htlcErc20 } from '../../contracts/evm/artifacts/htlc-erc20.ts'
import type { ApiClient } from '../../demo/client/api-client.ts'
import type { LocalJson } from '../../src/local/local-json.ts'
import type { Route, Swap, Users } from './users.ts'

type Log = { readonly topics: [Hex, ...Hex[]]; readonly data: Hex; readonly blockNumber: Hex }

const GAS = { gas: 300_000n, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }

export function createAccounts(count: number): readonly PrivateKeyAccount[] {
  return Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()))
}

export async function createEvmUsers(
  info: LocalJson,
  api: ApiClient,
  accounts: readonly PrivateKeyAccount[],
  route: Route,
): Promise<Users> {
  const [source, destination] = [chainOf(info, route.from), chainOf(info, route.to)]
  const topics = (['Initiated', 'Redeemed'] as const).flatMap((eventName) => encodeEventTopics({ abi: htlcErc20.abi, eventName })[0])
  const nonces = new Map<string, number>()
  const bySecretHash = new Map<string, Swap>()
  const initiated = new Map<string, string>()
  const swaps: Swap[] = []
  /** The newest block with a log of the contract. It is read again each time: one request suffices, and noting a log twice changes nothing. */
  let newest = Number(await rpc(destination.url, 'eth_blockNumber', []))

  async function fund(
    account: PrivateKeyAccount,
    request: { readonly to: string; readonly data: string; readonly value: string },
  ): Promise<void> {
    const nonce = nonces.get(account.address) ?? 0
    nonces.set(account.address, nonce + 1)
    const call = { to: request.to as Hex, data: request.data as Hex, value: BigInt(request.value) }
    const raw = await account.signTransaction({ type: 'eip1559', chainId: source.chainId, nonce, ...GAS, ...call })
    await rpc(source.url, 'eth_sendRawTransaction', [raw])
    const swap: Swap = { confirmedAt: performance.now(), paidAt: null }
    swaps.push(swap)
    // The last argument of `initiate`.
    bySecretHash.set(`0x${request.data.slice(-64)}`, swap)
  }

  function note(log: Log): void {
    const { eventName, args } = decodeEventLog({ abi: htlcErc20.abi, topics: log.topics, data: log.data })
    if (eventName === 'Initiated') initiated.set(args.orderId, args.secretHash)
    if (eventName !== 'Redeemed') return
    const swap = bySecretHash.get(initiated.get(args.orderId) ?? '')
    if (swap !== undefined) swap.paidAt ??= performance.now()
  }

  return {
    async swap(index) {
      const account = accounts[index % accounts.length]
      if (account === undefined) throw new Error('there are no accounts')
      const quote = await api.quote({ from: route.from, to: route.to, from_amount: route.amount.toString() })
      const order = await api.createOrder({
        source: { asset: route.from, owner: account.address, amount: quote.source.amount },
        destination: { asset: route.to, owner: account.address, amount: quote.destination.amount },
      })
      if (order.initiate_transaction === undefined) throw new Error('POST /orders named no transaction to send')
      await fund(account, order.initiate_transaction)
    },
    async poll() {
      const filter = { address: destination.htlc, topics: [topics], fromBlock: numberToHex(newest), toBlock: 'latest' }
      const logs = (await rpc(destination.url, 'eth_getLogs', [filter])) as readonly Log[]
      for (const log of logs) note(log)
      newest = Number(logs.at(-1)?.blockNumber ?? newest)
    },
    swaps,
  }
}

function chainOf(info: LocalJson, asset: string): { readonly url: string; readonly chainId: number; readonly htlc: string } {
  const chain = info.chains[asset.split(':')[0] ?? '']
  const htlc = chain?.assets[asset]?.htlc
  if (chain === undefined || htlc === undefined) throw new Error(`local.json names no contract for ${asset}`)
  return { url: String(chain.rpc_url), chainId: Number(chain.chain_id), htlc }
}

async function rpc(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  }
  const { result, error } = (await (await fetch(url, request)).json()) as {
    readonly result?: unknown
    readonly error?: { readonly message: string }
  }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}
