/** Property tests use this chain in memory: blocks, a mempool, timelocks, competing spends, reorgs. It knows nothing of the playbook. */
import type { Chain } from '../../chain.ts'
import type { BlockRef, HtlcEvent, HtlcTerms } from '../../htlc.ts'
import type { Tip } from '../../swap-state.ts'

export type ModelTx = {
  readonly id: string
  readonly kind: HtlcEvent['kind']
  readonly deposit: string
  readonly amount: bigint
  readonly by: string
  /** Miners leave it in the mempool until then, like a transaction with a low fee. */
  readonly notBefore: bigint
  /** `outbids` is mined before others. `snipes` is not in the public mempool and is mined in the block that would otherwise hold the other party's spend. */
  readonly tactic?: 'outbids' | 'snipes'
  /** A refund that both parties signed is valid at any time. */
  readonly bothSigned?: true
}

/** `end` is the absolute expiry that an initiation names: its sender's newest block plus the timelock. */
type SentTx = ModelTx & { readonly end: bigint }
type MinedTx = SentTx & { readonly block: BlockRef }

export type View = { readonly tip: Tip; readonly events: readonly HtlcEvent[] }

export type Settled = {
  readonly deposit: string
  readonly amount: bigint
  readonly by: string
  readonly minedAt: bigint
  readonly spend: MinedTx | null
}

export type ChainModel = {
  readonly chain: Chain
  broadcast(tx: ModelTx): void
  /** The transaction leaves the mempool, like one that is replaced or evicted. */
  forget(id: string): void
  mine(now: bigint): void
  /** The newest `depth` blocks are replaced by as many empty ones. Their transactions are mined later or, if `dropped`, never. */
  reorg(depth: number, now: bigint, dropped: (tx: ModelTx) => boolean): void
  view(): View
  has(id: string): boolean
  /** These are all transactions without a block, also those that nodes do not show, because an adversary sees them. */
  waiting(): readonly ModelTx[]
  /** Returns true if a refund of this deposit may be in the next block. */
  isExpired(deposit: string, now: bigint): boolean
  deposits(): readonly Settled[]
}

export function createChainModel(chain: Chain, terms: HtlcTerms, secret: string, start: bigint): ChainModel {
  let height = 100n
  let time = start
  let forks = 0
  let mempool: readonly SentTx[] = []
  let mined: readonly MinedTx[] = []
  let cached: View | null = null

  const initiationOf = (deposit: string) => mined.find((tx) => tx.kind === 'initiated' && tx.deposit === deposit)
  const spendOf = (deposit: string) => mined.find((tx) => tx.kind !== 'initiated' && tx.deposit === deposit)
  const clockAt = ({ height, time }: Tip) => (chain.clock.unit === 'blocks' ? height : time)
  const expiresAt = ({ end }: SentTx, block: Tip) => (chain.clock.expiry === 'relative' ? terms.timelock + clockAt(block) : end)
  const expiredIn = (initiation: MinedTx, at: Tip) => clockAt(at) >= expiresAt(initiation, initiation.block)

  const isValid = (tx: ModelTx, at: Tip): boolean => {
    const initiation = initiationOf(tx.deposit)
    if (tx.kind === 'initiated') return initiation === undefined
    if (initiation === undefined || spendOf(tx.deposit) !== undefined) return false
    return tx.kind === 'redeemed' || tx.bothSigned === true || expiredIn(initiation, at)
  }

  const isDue = (tx: ModelTx, at: Tip): boolean => {
    if (tx.notBefore > at.time || !isValid(tx, at)) return false
    return (
      tx.tactic !== 'snipes' ||
      mempool.some((other) => other.by !== tx.by && other.deposit === tx.deposit && other.notBefore <= at.time && isValid(other, at))
    )
  }

  const fill = (block: BlockRef): void => {
    const byFee = [...mempool.filter((tx) => tx.tactic !== undefined), ...mempool.filter((tx) => tx.tactic === undefined)]
    for (const pass of ['initiated', 'spends'] as const) {
      for (const tx of byFee) {
        if ((tx.kind === 'initiated') !== (pass === 'initiated') || !isDue(tx, block)) continue
        mined = [...mined, { ...tx, block }]
      }
    }
    mempool = mempool.filter((tx) => !mined.some((m) => m.id === tx.id))
    cached = null
  }

  const nextBlock = (now: bigint): void => {
    height += 1n
    time = now
    fill({ height, time, hash: `${height}/${forks}` })
  }

  const toEvent = (tx: SentTx, block: BlockRef | null): HtlcEvent => {
    const sighting = { swapId: 'swap', tx: tx.id, index: '0', block, deposit: tx.deposit }
    if (tx.kind === 'initiated') return { ...sighting, kind: 'initiated', amount: tx.amount, expiresAt: block && expiresAt(tx, block) }
    return tx.kind === 'redeemed' ? { ...sighting, kind: 'redeemed', secret } : { ...sighting, kind: 'refunded', secret: null }
  }

  return {
    chain,
    broadcast(tx) {
      if (mempool.some((known) => known.id === tx.id) || mined.some((known) => known.id === tx.id)) return
      mempool = [...mempool, { ...tx, end: clockAt({ height, time }) + terms.timelock }]
      cached = null
    },
    forget(id) {
      mempool = mempool.filter((tx) => tx.id !== id)
      cached = null
    },
    mine: nextBlock,
    reorg(depth, now, dropped) {
      const kept = height - BigInt(depth)
      const undone = mined.filter((tx) => tx.block.height > kept)
      mined = mined.filter((tx) => tx.block.height <= kept)
      mempool = [...mempool, ...undone.filter((tx) => !dropped(tx)).map(({ block: _, ...tx }) => ({ ...tx, notBefore: now + 1n }))]
      height = kept
      forks += 1
      for (let i = 0; i < depth; i += 1) nextBlock(now)
    },
    view() {
      // Account chains show no mempool, and no mempool keeps a transaction that is invalid in the next block.
      const isShown = (tx: ModelTx) => chain.clock.unit === 'blocks' && tx.tactic !== 'snipes' && isValid(tx, { height: height + 1n, time })
      cached ??= {
        tip: { height, time },
        events: [...mined.map((tx) => toEvent(tx, tx.block)), ...mempool.filter(isShown).map((tx) => toEvent(tx, null))],
      }
      return cached
    },
    has: (id) => mempool.some((tx) => tx.id === id) || mined.some((tx) => tx.id === id),
    waiting: () => mempool,
    isExpired(deposit, now) {
      const initiation = initiationOf(deposit)
      return initiation !== undefined && expiredIn(initiation, { height: height + 1n, time: now })
    },
    deposits: () =>
      mined
        .filter((tx) => tx.kind === 'initiated')
        .map((tx) => ({ deposit: tx.deposit, amount: tx.amount, by: tx.by, minedAt: tx.block.time, spend: spendOf(tx.deposit) ?? null })),
  }
}
