/** Simulates a chain in memory: blocks with events, reorgs and a mempool, and a log of all calls. */
import type { TransferRequest } from '@tandem/chain-kit/port/abilities/transfer.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { DepositReading } from '@tandem/chain-kit/port/htlc-reading.ts'
import type { OtherAttempt, Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { SpendRequest } from '@tandem/chain-kit/port/spend.ts'
import type { WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import { readingOf } from '@tandem/chain-kit/providers/htlc-reading.ts'
import { localChains } from '@tandem/families/registry.ts'
import type { Signer } from '@tandem/keys/key.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { SignedInstantRefund } from '@tandem/protocol/order.ts'
import { createFakeChain } from '@tandem/service/testing/fake-chain.fixture.ts'
import { exampleSwapId } from '../store/store.fixture.ts'

type Question =
  | 'tip'
  | 'headers'
  | 'events'
  | 'readHtlc'
  | 'unconfirmedEvents'
  | 'verifyPayout'
  | 'initiate'
  | 'redeem'
  | 'refund'
  | 'instantRefund'
  | 'cancel'
  | 'transfer'
  | 'broadcast'
  | 'answer to broadcast'

export type MemoryChain = ChainClient & {
  cancel: NonNullable<ChainClient['cancel']>
  finalHeight?: NonNullable<ChainClient['finalHeight']>
  readonly asked: string[]
  /** These hooks run before a call is answered, and before and after it signs with the key held. They may change the chain or throw. */
  readonly before: Partial<Record<Question | 'sign' | 'signed', () => unknown>>
  readonly broadcast: string[]
  /**
   * Each transaction has its deposits to spend (redeem and refund only), its outbox, the attempts of other actions, and its signer.
   */
  readonly orders: {
    readonly spend: SpendRequest | null
    readonly outbox: Outbox
    readonly others: readonly OtherAttempt[]
    signer: Signer | null
  }[]
  mempool: HtlcEvent[]
  balances: Record<string, bigint>
  /** These transfers were broadcast; `height` is null until `minePayments`. */
  readonly payments: { readonly tx: string; readonly request: TransferRequest; height: bigint | null }[]
  minePayments(): void
  mine(...events: readonly HtlcEvent[]): Block
  /** Mines `count` empty blocks. */
  grow(count: number): Block
  drop(depth: number): void
  /** Leaves `heights` heights without a block. */
  skip(heights: number): void
}

type Pace = {
  readonly blockMs: number
  /** Every nth height has no block. */
  readonly skipsOneIn?: bigint
  /** Dates each block when it is made, in unix seconds. Without a clock, blocks are dated `blockMs` apart. */
  readonly clock?: () => bigint
}

const FIRST_HEIGHT = 1000n
const FIRST_BLOCKS = 100
const BLOCK_MS = 2000

/** The first 100 blocks are dated before `now`. */
export function createMemoryChain(id: ChainId, now: bigint, { blockMs, skipsOneIn, clock }: Pace = { blockMs: BLOCK_MS }): MemoryChain {
  const local = localChains.find((known) => known.id === id)
  if (local === undefined) throw new Error(`${id} is not in the local registry`)
  const heightsMaySkip = skipsOneIn !== undefined
  const chain = { ...local, heightsMaySkip }
  const userParty = chain.clock.unit === 'blocks' ? 'order-key' : 'account'
  const blocks: (Block & { readonly events: readonly HtlcEvent[] })[] = []
  let made = 0
  let skipped = 0n

  function nextHeight(): bigint {
    const height = (blocks.at(-1)?.height ?? FIRST_HEIGHT - 1n) + 1n + skipped
    skipped = 0n
    return skipsOneIn !== undefined && height % skipsOneIn === 0n ? height + 1n : height
  }

  function mine(...events: readonly HtlcEvent[]): Block {
    made += 1
    const height = nextHeight()
    const header = {
      height,
      hash: `${id} ${height} #${made}`,
      parentHash: blocks.at(-1)?.hash ?? 'genesis',
      time: clock?.() ?? now + BigInt(Math.floor(((blocks.length - FIRST_BLOCKS) * blockMs) / 1000)),
      ...(heightsMaySkip && { ordinal: BigInt(blocks.length) }),
    }
    const { parentHash: _, ...block } = header
    blocks.push({ ...header, events: events.map((event) => ({ ...event, block })) })
    return header
  }

  const ask = async (question: Question, details = ''): Promise<void> => {
    client.asked.push(`${question}${details}`)
    await client.before[question]?.()
  }

  const send = async (verb: Question, outbox: Outbox, spend: SpendRequest | null = null, ...shown: readonly string[]): Promise<string> => {
    const order: MemoryChain['orders'][number] = { spend, outbox, others: await outbox.readOthers(), signer: null }
    client.orders.push(order)
    await ask(verb)
    const tx = `${verb} ${outbox.attempts.length + 1}`
    await outbox.withKey(async (held) => {
      order.signer = held.signer
      await client.before.sign?.()
      await client.before.signed?.()
      await held.record({ tx, raw: ['raw', tx, ...shown].join(' '), slots: [], feeRate: 1n })
    })
    await ask('broadcast')
    client.broadcast.push(tx)
    await client.before['answer to broadcast']?.()
    return tx
  }

  const fake = createFakeChain(chain, userParty)
  const { gasless, instantRefund } = fake
  const client: MemoryChain = {
    ...fake,
    swapId: (terms) => exampleSwapId(id, terms) ?? fake.swapId(terms),
    asked: [],
    before: {},
    broadcast: [],
    orders: [],
    mempool: [],
    balances: {},
    payments: [],
    minePayments() {
      const { height } = client.grow(1)
      for (const payment of client.payments) payment.height ??= height
    },
    transfer: {
      async send(request, outbox) {
        const [recorded] = outbox.attempts
        const tx = recorded?.tx ?? `transfer ${made} ${client.payments.length + client.orders.length}`
        if (recorded === undefined) {
          const order: MemoryChain['orders'][number] = { spend: null, outbox, others: await outbox.readOthers(), signer: null }
          client.orders.push(order)
          await ask('transfer')
          await outbox.withKey(async (held) => {
            order.signer = held.signer
            await client.before.sign?.()
            await held.record({ tx, raw: `raw ${tx}`, slots: [], feeRate: 1n })
          })
        }
        await ask('broadcast')
        client.broadcast.push(tx)
        if (!client.payments.some((payment) => payment.tx === tx)) client.payments.push({ tx, request, height: null })
        return tx
      },
      async outcome(_, __, attempts) {
        const paid = client.payments.find(({ tx, height }) => height !== null && attempts.some((attempt) => attempt.tx === tx))
        return paid === undefined || paid.height === null ? { kind: 'pending' } : { kind: 'paid', tx: paid.tx, height: paid.height }
      },
      fee: async () => 0n,
    },
    mine,
    grow(count) {
      let last = mine()
      for (let more = 1; more < count; more++) last = mine()
      return last
    },
    drop(depth) {
      blocks.splice(blocks.length - depth)
    },
    skip(heights) {
      skipped += BigInt(heights)
    },
    addressOf: (signer) => `address of ${Buffer.from(signer.publicKey).toString('hex')}`,
    async tip() {
      await ask('tip')
      const newest = blocks.at(-1)
      if (newest === undefined) throw new Error('every block was dropped')
      return headerOf(newest)
    },
    async headers(heights) {
      await ask('headers', ` ${heights.join(' ')}`)
      return blocks.filter(({ height }) => heights.includes(height)).map(headerOf)
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
    async readHtlc(terms, deposits) {
      await ask('readHtlc')
      const swapId = client.swapId(terms)
      const events = blocks.flatMap((block) => block.events).filter((event) => event.swapId === swapId)
      const read = (id: string): DepositReading => {
        const initiated = events.find((event) => event.kind === 'initiated' && event.deposit === id)
        const spend = [...events, ...client.mempool].find((event) => event.kind !== 'initiated' && event.deposit === id)
        if (initiated?.kind !== 'initiated') return { id, state: 'absent' }
        return spend === undefined ? { id, state: 'open', amount: initiated.amount } : { id, state: 'gone' }
      }
      const known = deposits.length > 0 ? deposits : events.filter(({ kind }) => kind === 'initiated').map(({ deposit }) => deposit)
      return readingOf(id, swapId, async () => known.map(read))
    },
    balance: async (asset, owner) => client.balances[`${asset} ${owner}`] ?? 0n,
    verifyPayout: () => ask('verifyPayout'),
    initiate: (_terms, outbox) => send('initiate', outbox),
    redeem: (_terms, spend, outbox) => send('redeem', outbox, spend, spend.secret),
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
  client.grow(FIRST_BLOCKS)
  return client
}

function headerOf({ events: _, ...header }: Block & { readonly events: readonly HtlcEvent[] }): Block {
  return header
}

/** On a UTXO chain a spend is found only if its deposit is known. */
async function pick(watched: WatchedSwaps, events: readonly HtlcEvent[]): Promise<readonly HtlcEvent[]> {
  const of = (isDeposit: boolean) => events.filter(({ kind }) => (kind === 'initiated') === isDeposit)
  const swaps = await watched.find({ swapIds: of(true).map(({ swapId }) => swapId), spent: of(false).map(({ deposit }) => deposit) })
  const initiated = of(true).filter(({ swapId }) => swaps.bySwapId(swapId) !== undefined)
  const found = new Set(initiated.map((event) => event.deposit))
  return events.filter((event) =>
    event.kind === 'initiated' ? initiated.includes(event) : found.has(event.deposit) || swaps.byDeposit(event.deposit) !== undefined,
  )
}
