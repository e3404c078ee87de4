/** Each chain of the Bitcoin family gets the same stories, with a stack of its own, and a user with a wallet. */
import { randomBytes } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import { Address, OutScript } from '@scure/btc-signer'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { afterAll, beforeAll, describe } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { describeWithNode } from '../nodes/describe-with-node.ts'
import { openStory, type Story, type StoryOptions } from './story.ts'
import { type CoinChain, type CoinKind, startRealCoins, startSimulatedCoins } from './utxo-chains.ts'
import { type CoinWallet, openCoinWallet } from './utxo-wallet.ts'

export interface CoinStory extends Story {
  readonly coins: CoinChain
  readonly userWallet: CoinWallet
  /** The order is from the chain's coin to WBTC for a fresh account. */
  place(more?: { readonly owner?: string; readonly secret_hash?: string }): Promise<PlacedOrder>
  transaction(txid: string): Promise<SeenTransaction>
}

export type PlacedOrder = CreatedOrder & {
  readonly order_id: string
  readonly to: string
  readonly agreed: bigint
  received(): Promise<bigint>
}

export type SeenTransaction = {
  readonly vsize: number
  readonly inputs: readonly { readonly outpoint: string; readonly witness: readonly string[] }[]
  /** The result is the sum of its outputs to the address. */
  pays(address: string): bigint
  /** The result is the first of these outputs. */
  outpointOf(address: string): string
}

type RawTransaction = {
  readonly vsize: number
  readonly vin: readonly { readonly txid: string; readonly vout: number; readonly txinwitness?: readonly string[] }[]
  readonly vout: readonly { readonly n: number; readonly value: number; readonly scriptPubKey: { readonly hex: string } }[]
}

const START_BALANCE = 40n
export const PAID_IN = 'ethereum_localnet:wbtc'

async function openCoinStory(coins: CoinChain, options: CoinOptions): Promise<CoinStory> {
  const chains = [coins.id, 'ethereum_localnet']
  const story = await openStory({ chains, runningChains: { [coins.id]: coins.local }, ...options })
  const userWallet = await openCoinWallet(coins, START_BALANCE * coins.amount)
  const { api } = story
  return {
    ...story,
    coins,
    userWallet,
    async place({ owner = userWallet.address, ...more } = {}) {
      const recipient = `0x${randomBytes(20).toString('hex')}`
      const quote = await api.quote({ from: coins.asset, to: PAID_IN, from_amount: coins.amount.toString() })
      const created = await api.createOrder({
        source: { asset: coins.asset, owner, amount: quote.source.amount },
        destination: { asset: PAID_IN, owner: recipient, amount: quote.destination.amount },
        ...more,
      })
      if (created.to === undefined) throw new Error('POST /orders returned no deposit address')
      return {
        ...created,
        to: created.to,
        agreed: BigInt(quote.destination.amount),
        received: () => story.evm('ethereum_localnet').balanceOf(recipient, story.contractsOf(PAID_IN).token),
      }
    },
    async transaction(txid) {
      const { vsize, vin, vout } = await coins.rpc<RawTransaction>('getrawtransaction', txid, true)
      const outputsTo = (address: string) => {
        const script = bytesToHex(OutScript.encode(Address(coins.network).decode(address)))
        return vout.filter(({ scriptPubKey }) => scriptPubKey.hex === script)
      }
      return {
        vsize,
        inputs: vin.map((input) => ({ outpoint: `${input.txid}:${input.vout}`, witness: input.txinwitness ?? [] })),
        pays: (address) => outputsTo(address).reduce((sum, { value }) => sum + BigInt(Math.round(value * 1e8)), 0n),
        outpointOf: (address) => `${txid}:${outputsTo(address)[0]?.n}`,
      }
    },
  }
}

type CoinOptions = Pick<StoryOptions, 'redeemWaitSeconds'>

/** The stories know their chain before it starts. */
export type CoinTarget = { readonly kind: CoinKind; readonly isSimulated: boolean }

/** `story()` works once tests run. */
type Tell = (story: () => CoinStory, target: CoinTarget) => void

const KINDS: readonly CoinKind[] = ['bitcoin', 'litecoin']
const NODES = { bitcoin: 'bitcoind', litecoin: 'litecoind' } as const

/** One of the `kinds` is enough where only real nodes could show a difference. */
export function tellOnSimulators(title: string, tell: Tell, options: CoinOptions & { readonly kinds?: readonly CoinKind[] } = {}): void {
  for (const kind of options.kinds ?? KINDS)
    describe(`${title}, ${kind}`, () => openAndTell(() => startSimulatedCoins(kind), tell, { kind, isSimulated: true }, options))
}

export async function tellOnNodes(title: string, tell: Tell, options: CoinOptions = {}): Promise<void> {
  for (const kind of KINDS) {
    const start = () => startRealCoins(kind)
    await describeWithNode(NODES[kind], `${title}, ${NODES[kind]}`, () => openAndTell(start, tell, { kind, isSimulated: false }, options))
  }
}

function openAndTell(start: () => Promise<CoinChain>, tell: Tell, target: CoinTarget, options: CoinOptions): void {
  let story: CoinStory | undefined
  beforeAll(async () => {
    story = await openCoinStory(await start(), options)
  })
  afterAll(() => story?.close())
  tell(() => {
    if (story === undefined) throw new Error('the story is not open yet')
    return story
  }, target)
}

export function depositsOf({ source_swap }: OrderRecord) {
  return (source_swap.deposits ?? []).map(({ deposit, amount, state, spend_tx_hash }) => ({ deposit, amount, state, spend_tx_hash }))
}

export function depositIn(record: OrderRecord, { deposit }: { readonly deposit: string }) {
  return depositsOf(record).find((one) => one.deposit === deposit)
}
