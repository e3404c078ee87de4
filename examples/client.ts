/** WBTC → BTC without gas: the user signs typed data, the service sends the transaction and pays for it. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPublicClient, createWalletClient, erc20Abi, type Hex, http, maxUint256, type TypedDataDefinition } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const SOURCE = 'ethereum_localnet:wbtc'
const DESTINATION = 'bitcoin_regtest:btc'
const TIMEOUT_MS = 120_000

const local = JSON.parse(readFileSync(process.env.TANDEM_LOCAL_JSON ?? '.tandem/local.json', 'utf8'))
const chain = local.chains.ethereum_localnet
const walletOn = (id: string): { readonly private_key: Hex; readonly address: string } =>
  local.wallets.find(({ chains }: { chains: readonly string[] }) => chains.includes(id))
const account = privateKeyToAccount(walletOn('ethereum_localnet').private_key)
const print = (text: string): void => void process.stdout.write(`${text}\n`)

type Amount = { readonly amount: string; readonly display: string }
type Quote = { readonly source: Amount; readonly destination: Amount }
type Order = { readonly order_id: string; readonly approval_transaction: object | null; readonly typed_data: TypedDataDefinition }
type OrderRecord = { readonly status: string; readonly destination_swap: { readonly redeem_tx_hash: string } }

async function call<Result>(path: string, init: { readonly method?: string; readonly body?: unknown } = {}): Promise<Result> {
  const response = await fetch(`${local.base_url}${path}`, {
    method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
    headers: { 'service-app-id': local.app_id, 'content-type': 'application/json' },
    ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
  })
  const { result, error } = (await response.json()) as { readonly result: Result; readonly error: string | null }
  if (!response.ok) throw new Error(`${path}: ${response.status} ${error}`)
  return result
}

/** Once per token: lets the HTLC take what the user signs for. This is the only transaction that the user pays gas for. */
async function approve(): Promise<void> {
  const { token, htlc } = chain.assets[SOURCE]
  const transport = http(chain.rpc_url)
  const wallet = createWalletClient({ account, transport })
  const hash = await wallet.writeContract({ chain: null, abi: erc20Abi, address: token, functionName: 'approve', args: [htlc, maxUint256] })
  await createPublicClient({ transport, pollingInterval: 100 }).waitForTransactionReceipt({ hash })
}

const [quote] = await call<[Quote]>(`/quote?from=${SOURCE}&to=${DESTINATION}&from_amount=1000000`)
print(`quote: ${quote.source.display} WBTC for ${quote.destination.display} BTC`)

const order = await call<Order>('/orders', {
  body: {
    source: { asset: SOURCE, amount: quote.source.amount, owner: account.address },
    destination: { asset: DESTINATION, amount: quote.destination.amount, owner: walletOn('bitcoin_regtest').address },
  },
})
print(`order ${order.order_id}`)

if (order.approval_transaction !== null) await approve()
const signature = await account.signTypedData(order.typed_data)
await call(`/orders/${order.order_id}?action=initiate`, { method: 'PATCH', body: { signature } })
print('signed: the service sends it')

const end = Date.now() + TIMEOUT_MS
for (let status = ''; ; await sleep(250)) {
  const record = await call<OrderRecord>(`/orders/${order.order_id}`)
  if (record.status !== status) print(record.status)
  status = record.status
  if (record.destination_swap.redeem_tx_hash !== '') {
    print(`paid in ${record.destination_swap.redeem_tx_hash}`)
    break
  }
  if (Date.now() > end) throw new Error(`order ${order.order_id} was not paid within ${TIMEOUT_MS / 1000} s: it is ${status}`)
}
