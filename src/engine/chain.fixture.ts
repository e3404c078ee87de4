/** A chain in memory: blocks with events, reorgs and a mempool, and a record of everything that was asked of it. */
import type { ChainClient } from '../chains/port/client.ts'
import type { Outbox } from '../chains/port/outbox.ts'
import type { SpendRequest } from '../chains/port/spend.ts'
import type { WatchedSwaps } from '../chains/port/watched-swaps.ts'
import type { Block, ChainId } from '../protocol/chain.ts'
import type { HtlcEvent } from '../protocol/htlc.ts'
import type { SignedInstantRefund } from '../protocol/order.ts'
import { localChains } from '../protocol/registry/local.ts'
import { createFakeChain } from '../service/testing/fake-chain.fixture.ts'

type Question =
  | 'tip'
  | 'blockAt'
  | 'events'
  | 'unconfirmedEvents'
  | 'verifyPayout'
  | 'initiate'
  | 'redeem'
  | 'refund'
  | 'instantRefund'
  | 'cancel'
  | 'broadcast'

export type MemoryChain = ChainClient & {
  cancel: NonNullable<ChainClient['cancel']>
  /** Every call in order: 'events 101-103', 'redeem'. */
  readonly asked: string[]
  /** Runs before the answer to a question is looked up: to change the chain, or to throw. */
  readonly before: Partial<Record<Question, () => unknown>>
  /** Transactions that were recorded and then sent. */
  readonly broadcast: string[]
  /** What each of them was to spend, for redeems and refunds, and what it was given to work with. */
  readonly orders: { readonly spend: SpendRequest | null; readonly outbox: Outbox }[]
  mempool: HtlcEvent[]
  balances: Record<string, bigint>
  /** One block on top, with these events. */
  mine(...events: readonly HtlcEvent[]): Block
  /** `count` empty blocks on top. */
  grow(count: number): Block
  /** Takes the last `depth` blocks away. */
  drop(depth: number): void
}

const FIRST_HEIGHT = 1000n
const BLOCK_SECONDS = 2n

/** Blocks are dated so that the first 100 of them lie before `now`. */
export function createMemoryChain(id: ChainId, now: bigint): MemoryChain {
  const chain = localChains.find((known) => known.id === id)
  if (chain === undefined) throw new Error(`${id} is not in the local registry`)
  const userParty = chain.clock.unit === 'blocks' ? 'order-key' : 'account'
  const blocks: (Block & { readonly events: readonly HtlcEvent[] })[] = []
  let made = 0

  function mine(...events: readonly HtlcEvent[]): Block {
    made += 1
    const height = FIRST_HEIGHT + BigInt(blocks.length)
    const header = {
      height,
      hash: `${id} ${height} #${made}`,
      parentHash: blocks.at(-1)?.hash ?? 'genesis',
      time: now - 200n + BigInt(blocks.length) * BLOCK_SECONDS,
    }
    const { parentHash: _, ...block } = header
    blocks.push({ ...header, events: events.map((event) => ({ ...event, block })) })
    return header
  }

  const ask = async (question: Question, details = ''): Promise<void> => {
    client.asked.push(`${question}${details}`)
    await client.before[question]?.()
  }

  const send = async (verb: Question, outbox: Outbox, spend: SpendRequest | null = null): Promise<string> => {
    client.orders.push({ spend, outbox })
    await ask(verb)
    const tx = `${verb} ${outbox.attempts.length + 1}`
    await outbox.record({ tx, raw: `raw ${tx}`, slots: [], feeRate: 1n })
    await ask('broadcast')
    client.broadcast.push(tx)
    return tx
  }

  const { gasless, instantRefund } = createFakeChain(chain, userParty)
  const client: MemoryChain = {
    ...createFakeChain(chain, userParty),
    asked: [],
    before: {},
    broadcast: [],
    orders: [],
    mempool: [],
    balances: {},
    mine,
    grow(count) {
      let last = mine()
      for (let more = 1; more < count; more++) last = mine()
      return last
    },
    drop(depth) {
      blocks.splice(blocks.length - depth)
    },
    addressOf: (signer) => `address of ${Buffer.from(signer.publicKey).toString('hex')}`,
    async tip() {
      await ask('tip')
      return headerAt(blocks.length - 1)
    },
    async blockAt(height) {
      await ask('blockAt', ` ${height}`)
      const index = Number(height - FIRST_HEIGHT)
      return index < blocks.length ? headerAt(index) : null
    },
    async events(watched, from, to) {
      await ask('events', ` ${from}-${to}`)
      const range = blocks.filter((block) => block.height >= from && block.height <= to)
      return pick(
        watched,
        range.flatMap((block) => block.events),
      )
    },
    async unconfirmedEvents(watched) {
      await ask('unconfirmedEvents')
      return pick(watched, client.mempool)
    },
    balance: async (asset, owner) => client.balances[`${asset} ${owner}`] ?? 0n,
    verifyPayout: () => ask('verifyPayout'),
    initiate: (_terms, outbox) => send('initiate', outbox),
    redeem: (_terms, spend, outbox) => send('redeem', outbox, spend),
    refund: (_terms, spend, outbox) => send('refund', outbox, spend),
    cancel: (outbox) => send('cancel', outbox),
    ...(instantRefund !== undefined && {
      instantRefund: {
        ...instantRefund,
        send: (_terms: unknown, refunds: readonly SignedInstantRefund[], outbox: Outbox) =>
          send('instantRefund', outbox, { deposits: refunds.map(({ deposit, amount }) => ({ id: deposit, amount })), to: null }),
      },
    }),
    ...(gasless !== undefined && {
      gasless: { ...gasless, initiate: (_terms: unknown, _signature: string, outbox: Outbox) => send('initiate', outbox) },
    }),
  }
  client.grow(100)

  function headerAt(index: number): Block {
    const block = blocks[index]
    if (block === undefined) throw new Error(`block ${index} was never made`)
    const { events: _, ...header } = block
    return header
  }

  return client
}

/** As a chain of coins answers: a spend is noticed only by who knows the deposit it spends. */
function pick(watched: WatchedSwaps, events: readonly HtlcEvent[]): readonly HtlcEvent[] {
  const initiated = events.filter((event) => event.kind === 'initiated' && watched.bySwapId(event.swapId) !== undefined)
  const found = new Set(initiated.map((event) => event.deposit))
  return events.filter((event) =>
    event.kind === 'initiated' ? initiated.includes(event) : found.has(event.deposit) || watched.byDeposit(event.deposit) !== undefined,
  )
}
