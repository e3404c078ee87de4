/** A service for swaps from bitcoin to a token of an EVM chain, in memory, whose answers a test can change. */
import { schnorr } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { depositWallet } from '@tandem/bitcoin/browser/wallet.ts'
import { htlcOf } from '@tandem/bitcoin/terms/htlc.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { createRefundPackage } from '@tandem/bitcoin/terms/rescue/create-refund-package.ts'
import { chainIdOf, createContracts, swapIdOf } from '@tandem/evm/terms/htlc.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { CreateOrderRequest, OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { Quote } from '@tandem/protocol/wire/quote.ts'
import type { Client } from '../client/client.ts'
import { randomKeys } from '../keys/keys.ts'
import { type PinnedAsset, pinnedAsset } from '../verify/pinned.ts'
import { freshSwap } from '../verify/verify-order.ts'
import type { SwapContext } from './context.ts'
import type { QuoteRequest } from './prepare.ts'
import { memoryStorage } from './storage.ts'

const BTC = 'bitcoin_regtest:btc'
const WBTC = 'ethereum_localnet:wbtc'
const account = (digit: string) => `0x${digit.repeat(40)}`
const keyOf = (digit: string) => bytesToHex(schnorr.getPublicKey(hexToBytes(digit.repeat(64))))
const SERVICE_KEY = '5'

export const request: QuoteRequest = { from: BTC, to: WBTC, fromAmount: 1_000_000n, recipient: account('3') }
export const quote = {
  solver_id: 'solver',
  quote_id: 'quote',
  estimated_time: 1,
  source: { asset: BTC, amount: '1000000', display: '0.01', value: '1' },
  destination: { asset: WBTC, amount: '990000', display: '0.0099', value: '1' },
  slippage: 0,
  fee: 0,
  fixed_fee: '0',
  expires_at: 99_999_999_999,
} as Quote

export async function createHostileService(nodes: Readonly<Record<string, string>>) {
  const deployments = { [WBTC]: { htlc: account('1'), token: account('2') } }
  const assets = { source: await pinnedAsset(BTC, deployments), destination: await pinnedAsset(WBTC, deployments) }
  const storage = memoryStorage()
  const answers = { orderId: 'ab'.repeat(32), record: null as OrderRecord | null, withPackage: true, isAlive: true, redeems: 0 }
  /** These are answers of the nodes, by the end of the URL or the name of the method. */
  const chain: Record<string, (body: string) => unknown> = {
    // This is the answer to /block-height/0.
    0: () => networkOf(assets.source.chain.reference).genesisHash,
    hash: () => 'newest',
    newest: () => ({ height: 1, timestamp: Math.floor(Date.now() / 1000) }),
    eth_chainId: () => chainIdOf(assets.destination.chain),
    eth_getBlockByNumber: () => ({ number: 1, timestamp: Math.floor(Date.now() / 1000) }),
    eth_getCode: () => '0x01',
  }
  const paid: string[] = []
  const alive = () => {
    if (!answers.isAlive) throw new Error('the service is gone')
  }
  const client = {
    quote: async () => [quote],
    async createOrder(body: CreateOrderRequest) {
      const record = recordOf(assets, answers.orderId, body)
      answers.record = record
      const { terms } = sideOf(assets.source, 'source', body)
      const own = keyOf(SERVICE_KEY) === terms.initiator ? SERVICE_KEY.repeat(64) : null
      const refund = createRefundPackage(assets.source.chain, terms, own, own === null ? null : (body.source.owner ?? null))
      const withPackage = answers.withPackage && own !== null
      return {
        order_id: answers.orderId,
        to: record.source_swap.swap_id,
        amount: terms.amount.toString(),
        ...(withPackage && { refund_package: refund }),
      }
    },
    async order() {
      alive()
      return answers.record
    },
    async funding() {
      alive()
      return { order_id: answers.orderId, to: answers.record?.source_swap.swap_id, amount: answers.record?.source_swap.amount }
    },
    async patchOrder() {
      answers.redeems += 1
      return 'a hash of nothing'
    },
  } as unknown as Client
  const answer: typeof fetch = async (url, init) => {
    const body = String(init?.body ?? '')
    const name = body.startsWith('{') ? (JSON.parse(body) as { method: string }).method : String(url).replace(/^.*\//, '')
    const result = chain[name]?.(body)
    if (result === undefined) throw new Error(`no answer for ${name}`)
    return body.startsWith('{') ? Response.json({ result }) : new Response(typeof result === 'string' ? result : JSON.stringify(result))
  }
  const options = { baseUrl: '', appId: '', deployments, nodes, fetch: answer, pollMs: 1 }
  const context: SwapContext = { client, options, storage, keys: randomKeys(storage) }
  const wallet = depositWallet({ address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', show: ({ to }) => void paid.push(to) })
  return { context, answers, chain, paid, wallet }
}

type Assets = Readonly<Record<Leg, PinnedAsset>>

function sideOf({ chain, asset, deployment }: PinnedAsset, leg: Leg, body: CreateOrderRequest): { terms: HtlcTerms; swapId: string } {
  const { owner, amount } = body[leg]
  const common = {
    asset: asset.id,
    amount: BigInt(amount),
    secretHash: body.secret_hash ?? 'cd'.repeat(32),
    timelock: chain.timelocks[leg],
  }
  if (leg === 'source') {
    const own = /^[0-9a-f]{64}$/.test(owner ?? '') ? String(owner) : keyOf(SERVICE_KEY)
    const terms = { ...common, initiator: own, redeemer: keyOf('6') }
    return { terms, swapId: htlcOf(terms, networkOf(chain.reference)).address }
  }
  const terms = { ...common, initiator: account('4'), redeemer: String(owner) }
  return { terms, swapId: swapIdOf(createContracts(chain, [{ ...asset, deployment }]).of(asset.id), terms) }
}

export function swapRecord({ chain, asset }: PinnedAsset, leg: Leg, terms: HtlcTerms, swapId: string) {
  return {
    ...freshSwap,
    created_at: '',
    swap_id: swapId,
    chain: chain.id,
    asset: asset.id,
    initiator: terms.initiator,
    redeemer: terms.redeemer,
    timelock: Number(terms.timelock),
    asset_price: 1,
    amount: terms.amount.toString(),
    secret_hash: terms.secretHash,
    required_confirmations: requiredConfirmations(chain, asset, terms.amount, leg),
  }
}

function recordOf(assets: Assets, orderId: string, body: CreateOrderRequest): OrderRecord {
  const seconds = Math.floor(Date.now() / 1000)
  const swap = (leg: Leg) => {
    const { terms, swapId } = sideOf(assets[leg], leg, body)
    return {
      ...swapRecord(assets[leg], leg, terms, swapId),
      ...(terms.initiator === keyOf(SERVICE_KEY) && { initiator: body.source.owner ?? '', delegate: terms.initiator }),
    }
  }
  return {
    created_at: new Date(seconds * 1000).toISOString(),
    source_swap: swap('source'),
    destination_swap: swap('destination'),
    nonce: '1',
    order_id: orderId,
    affiliate_fees: [],
    version: 'v3',
    solver_id: 'solver',
    integrator: 'app',
    deadline: seconds + Number(assets.source.chain.fundingWindowSeconds),
    price_expires_at: seconds,
    status: 'created',
    next_action: null,
  }
}
