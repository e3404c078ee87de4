/** Many users of one EVM route. They cost little: no receipts, no estimates, nonces counted here, and one subscription to the logs of the destination for all. */
import { once } from 'node:events'
import { htlcErc20 } from '@tandem/evm/contract/artifacts/htlc-erc20.ts'
import type { LocalJson } from '@tandem/local/local-json.ts'
import { encodeEventTopics, type Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { WebSocket } from 'ws'
import { callNode, type QuickApi } from './quick-api.ts'
import type { Route, Swap, Users } from './users.ts'

type Log = { readonly topics: readonly Hex[]; readonly data: Hex }

const GAS = { gas: 300_000n, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }

const topicOf = (eventName: 'Initiated' | 'Redeemed'): Hex => encodeEventTopics({ abi: htlcErc20.abi, eventName })[0]
const INITIATED = topicOf('Initiated')
const REDEEMED = topicOf('Redeemed')

export function createAccounts(count: number): readonly PrivateKeyAccount[] {
  return Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()))
}

export async function createEvmUsers(info: LocalJson, api: QuickApi, accounts: readonly PrivateKeyAccount[], route: Route): Promise<Users> {
  const [source, destination] = [chainOf(info, route.from), chainOf(info, route.to)]
  const nonces = new Map<string, number>()
  const bySecretHash = new Map<string, Swap>()
  const initiated = new Map<string, string>()
  const swaps: Swap[] = []

  async function fund(
    { begunAt, orderedAt }: Pick<Swap, 'begunAt' | 'orderedAt'>,
    account: PrivateKeyAccount,
    request: { readonly to: string; readonly data: string; readonly value: string },
  ): Promise<void> {
    const nonce = nonces.get(account.address) ?? 0
    nonces.set(account.address, nonce + 1)
    const call = { to: request.to as Hex, data: request.data as Hex, value: BigInt(request.value) }
    const raw = await account.signTransaction({ type: 'eip1559', chainId: source.chainId, nonce, ...GAS, ...call })
    await callNode(source.url, 'eth_sendRawTransaction', [raw])
    const swap: Swap = { begunAt, orderedAt, confirmedAt: performance.now(), lockedAt: null, paidAt: null }
    swaps.push(swap)
    bySecretHash.set(lastWordOf(request.data), swap)
  }

  /** The secret hash is the last argument of `initiate`, and the last value of `Initiated`. */
  function note({ topics: [topic, orderId = '0x'], data }: Log): void {
    if (topic === INITIATED) initiated.set(orderId, lastWordOf(data))
    const swap = bySecretHash.get(initiated.get(orderId) ?? '')
    if (swap === undefined) return
    if (topic === INITIATED) swap.lockedAt ??= performance.now()
    if (topic === REDEEMED) swap.paidAt ??= performance.now()
  }

  const subscription = await subscribeToLogs(destination.url, { address: destination.htlc, topics: [[INITIATED, REDEEMED]] }, note)
  return {
    async swap(index) {
      const account = accounts[index % accounts.length]
      if (account === undefined) throw new Error('there are no accounts')
      const begunAt = performance.now()
      const quote = await api.quote({ from: route.from, to: route.to, from_amount: route.amount.toString() })
      const order = await api.createOrder({
        source: { asset: route.from, owner: account.address, amount: quote.source.amount },
        destination: { asset: route.to, owner: account.address, amount: quote.destination.amount },
      })
      if (order.initiate_transaction === undefined) throw new Error('POST /orders named no transaction to send')
      await fund({ begunAt, orderedAt: performance.now() }, account, order.initiate_transaction)
    },
    assertListening() {
      if (subscription.readyState !== WebSocket.OPEN) throw new Error('the node has ended the subscription to its logs')
    },
    close: () => subscription.terminate(),
    swaps,
  }
}

function lastWordOf(data: string): string {
  return data.slice(-64)
}

async function subscribeToLogs(url: string, filter: object, onLog: (log: Log) => void): Promise<WebSocket> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'))
  await once(socket, 'open')
  const answered = once(socket, 'message')
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['logs', filter] }))
  await answered
  socket.on('message', (message) => {
    const { params } = JSON.parse(String(message)) as { readonly params: { readonly result: Log } }
    onLog(params.result)
  })
  return socket
}

function chainOf(info: LocalJson, asset: string): { readonly url: string; readonly chainId: number; readonly htlc: string } {
  const chain = info.chains[asset.split(':')[0] ?? '']
  const htlc = chain?.assets[asset]?.htlc
  if (chain === undefined || htlc === undefined) throw new Error(`local.json names no contract for ${asset}`)
  return { url: String(chain.rpc_url), chainId: Number(chain.chain_id), htlc }
}
