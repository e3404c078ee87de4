// Keeps the chain of blocks: the transactions and changes of each, and its commitment.
import { createHash, randomBytes } from 'node:crypto'
import { type Address, type EncodedAccount, getBase58Decoder } from '@solana/kit'
import type { MinedTransaction } from './mined-transaction.ts'
import type { AccountsBefore, Svm } from './svm.ts'

/**
 * processed   it is the newest block
 * confirmed   a supermajority of the cluster voted for the block
 * finalized   enough blocks follow that the cluster cannot replace it
 */
export type Commitment = 'processed' | 'confirmed' | 'finalized'

/** Each lag is a number of following blocks. */
export type CommitmentLags = { readonly confirmed: number; readonly finalized: number }

export interface LedgerBlock {
  readonly slot: number
  /** The height counts blocks: slots without a block do not count. */
  readonly height: number
  readonly parentSlot: number
  readonly blockhash: string
  readonly previousBlockhash: string
  /** The time is in unix seconds. */
  readonly time: number
  readonly transactions: readonly MinedTransaction[]
}

export interface Ledger {
  readonly genesisHash: string
  tip(commitment: Commitment): LedgerBlock
  commitmentOf(block: LedgerBlock): Commitment
  firstBlock(): LedgerBlock
  blockAt(slot: number): LedgerBlock | null
  blockAtHeight(height: number): LedgerBlock | null
  /** The slots are in ascending order, up to the tip of the commitment. */
  slots(from: number, to: number, commitment: Commitment, limit?: number): readonly number[]
  transaction(signature: string): MinedTransaction | null
  transactionsOf(address: Address): readonly MinedTransaction[]
  transactionCount(): number
  heightOf(blockhash: string): number | null
  account(address: Address, commitment: Commitment): EncodedAccount | null
  programAccounts(program: Address, commitment: Commitment): readonly EncodedAccount[]
  startBlock(clock: Pick<LedgerBlock, 'slot' | 'time'>): void
  inState<Result>(commitment: Commitment, task: () => Result): Result
  /** The list is empty for a block that was finalized long ago. */
  changedBy(block: LedgerBlock): readonly Address[]
  append(block: Pick<LedgerBlock, 'slot' | 'time' | 'transactions'>, before: AccountsBefore): LedgerBlock
  /** Restores the accounts that the removed blocks changed. Returns the removed blocks, oldest first. */
  undo(depth: number): readonly LedgerBlock[]
}

export type LedgerOptions = {
  readonly genesisHash: string
  readonly startSlot: number
  readonly startTime: number
  readonly lags: CommitmentLags
  /** Older blocks are deleted, as by a node without an archive. */
  readonly maxBlocks: number
  readonly maxTransactions: number
}

/** This many blocks are never deleted: their hashes may be valid, and their transactions could be sent again. */
const MIN_BLOCKS = 301
/** Programs can read this many of the newest blocks; a public cluster has 512. */
const KNOWN_TO_PROGRAMS = 32

/** Subscriptions need the changes of a block for this many blocks after it is finalized. */
const REMEMBERED_CHANGES = 64
const noChanges: AccountsBefore = new Map()
const base58 = getBase58Decoder()

export function createLedger(svm: Svm, { genesisHash, startSlot, startTime, lags, maxBlocks, maxTransactions }: LedgerOptions): Ledger {
  const first: LedgerBlock = {
    slot: startSlot,
    height: 0,
    parentSlot: startSlot - 1,
    blockhash: genesisHash,
    previousBlockhash: genesisHash,
    time: startTime,
    transactions: [],
  }
  /** The index is the height minus `blocks[0].height`. */
  const blocks: LedgerBlock[] = [first]
  const bySlot = new Map([[first.slot, first]])
  const byHash = new Map([[first.blockhash, first]])
  const transactions = new Map<string, MinedTransaction>()
  const byAddress = new Map<Address, MinedTransaction[]>()
  const changes = new Map<LedgerBlock, AccountsBefore>()
  /** No two chains share a blockhash, so no transaction is valid on both. */
  const seed = randomBytes(8).toString('hex')
  let everMined = 0
  let finalizedHeight = 0

  const at = (index: number): LedgerBlock => {
    const block = blocks[index]
    if (block === undefined) throw new Error(`the ledger has no block at index ${index}`)
    return block
  }
  const newest = () => at(blocks.length - 1)
  const indexOf = (height: number) => Math.max(0, height - at(0).height)
  const tip = (commitment: Commitment) => {
    if (commitment === 'processed') return newest()
    const confirmed = Math.max(finalizedHeight, newest().height - lags.confirmed)
    return at(indexOf(commitment === 'confirmed' ? confirmed : finalizedHeight))
  }
  const enter = (block: LedgerBlock, clock: Pick<LedgerBlock, 'slot' | 'time'> = block) => {
    const last = indexOf(block.height)
    const known = blocks.slice(Math.max(0, last + 1 - KNOWN_TO_PROGRAMS), last + 1)
    svm.setClock(clock, known)
  }
  enter(first)

  const changesAfter = (block: LedgerBlock) => blocks.slice(indexOf(block.height) + 1).map((later) => changes.get(later) ?? noChanges)

  function forgetOldest(): void {
    while (blocks.length > maxBlocks || (transactions.size > maxTransactions && blocks.length > MIN_BLOCKS)) {
      const block = blocks.shift()
      if (block === undefined) return
      remove(block)
    }
  }

  function remove(block: LedgerBlock): void {
    bySlot.delete(block.slot)
    byHash.delete(block.blockhash)
    changes.delete(block)
    for (const mined of block.transactions) forget(mined)
  }

  function forget(mined: MinedTransaction): void {
    transactions.delete(mined.wire.signature)
    for (const address of mined.addresses) {
      const left = byAddress.get(address)?.filter((other) => other !== mined) ?? []
      if (left.length === 0) byAddress.delete(address)
      else byAddress.set(address, left)
    }
  }

  return {
    genesisHash,
    tip,
    commitmentOf({ height }) {
      if (height <= tip('finalized').height) return 'finalized'
      return height <= tip('confirmed').height ? 'confirmed' : 'processed'
    },
    firstBlock: () => at(0),
    blockAt: (slot) => bySlot.get(slot) ?? null,
    blockAtHeight: (height) => blocks[height - at(0).height] ?? null,
    slots(from, to, commitment, limit = Number.POSITIVE_INFINITY) {
      const last = Math.min(to, tip(commitment).slot)
      const found: number[] = []
      for (let slot = Math.max(from, at(0).slot); slot <= last && found.length < limit; slot += 1) if (bySlot.has(slot)) found.push(slot)
      return found
    },
    transaction: (signature) => transactions.get(signature) ?? null,
    transactionsOf: (address) => (byAddress.get(address) ?? []).toReversed(),
    transactionCount: () => everMined,
    heightOf: (blockhash) => byHash.get(blockhash)?.height ?? null,
    account(address, commitment) {
      for (const before of changesAfter(tip(commitment))) {
        const account = before.get(address)
        if (account !== undefined) return account
      }
      return svm.account(address)
    },
    programAccounts(program, commitment) {
      const found = new Map(svm.programAccounts(program).map((account) => [account.address, account]))
      for (const before of changesAfter(tip(commitment)).reverse()) {
        for (const [address, account] of before) {
          if (account?.programAddress === program) found.set(address, account)
          else found.delete(address)
        }
      }
      return [...found.values()]
    },
    startBlock: (clock) => enter(newest(), clock),
    inState(commitment, task) {
      const block = tip(commitment)
      const later = changesAfter(block)
      const changed = new Set(later.flatMap((before) => [...before.keys()]))
      const current = [...changed].map((address) => [address, svm.account(address)] as const)
      for (const before of later.reverse()) for (const [address, account] of before) svm.setAccount(address, account)
      enter(block)
      try {
        return task()
      } finally {
        for (const [address, account] of current) svm.setAccount(address, account)
        enter(newest())
      }
    },
    changedBy: (block) => [...(changes.get(block) ?? noChanges).keys()],
    append(made, before) {
      const parent = newest()
      const block: LedgerBlock = {
        ...made,
        height: parent.height + 1,
        parentSlot: parent.slot,
        blockhash: base58.decode(createHash('sha256').update(`${seed} ${parent.blockhash} ${made.slot}`).digest()),
        previousBlockhash: parent.blockhash,
      }
      blocks.push(block)
      bySlot.set(block.slot, block)
      byHash.set(block.blockhash, block)
      if (before.size > 0) changes.set(block, before)
      for (const mined of block.transactions) {
        everMined += 1
        transactions.set(mined.wire.signature, mined)
        for (const address of mined.addresses) {
          const known = byAddress.get(address)
          if (known === undefined) byAddress.set(address, [mined])
          else known.push(mined)
        }
      }
      finalizedHeight = Math.max(finalizedHeight, block.height - lags.finalized)
      const forgotten = blocks[indexOf(finalizedHeight - REMEMBERED_CHANGES)]
      if (forgotten !== undefined && forgotten.height <= finalizedHeight - REMEMBERED_CHANGES) changes.delete(forgotten)
      forgetOldest()
      return block
    },
    undo(depth) {
      const possible = newest().height - finalizedHeight
      if (depth > possible) throw new RangeError(`cannot replace ${depth} blocks: only the newest ${possible} are not finalized`)
      const removed = blocks.splice(blocks.length - depth)
      for (const block of removed.toReversed()) {
        for (const [address, account] of changes.get(block) ?? noChanges) svm.setAccount(address, account)
        everMined -= block.transactions.length
        remove(block)
      }
      enter(newest())
      return removed
    },
  }
}
