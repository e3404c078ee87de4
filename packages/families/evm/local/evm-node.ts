// Turns the EDR engine into a node with a clock: mining by policy, finality tags, and faults that a real chain has.
import { randomBytes } from 'node:crypto'
import { type Hex, keccak256, numberToHex, toHex } from 'viem'
import { type EdrProvider, EdrRequestError, type JsonRpcCall } from './edr-provider.ts'
import { createSerialQueue } from './serial-queue.ts'

export type MiningPolicy =
  /** A block is mined as soon as a transaction arrives, and one every second. */
  | { readonly kind: 'instant' }
  /** A block is mined at this interval, with or without transactions. */
  | { readonly kind: 'interval'; readonly seconds: number }
  | { readonly kind: 'manual' }

export interface ReorgOptions {
  /** Transactions of the replaced blocks return to the mempool (the default) or are dropped. */
  readonly transactions?: 'return' | 'drop'
  readonly blocks?: number
}

export interface ReorgReport {
  readonly forkBlock: number
  readonly replaced: readonly Hex[]
  readonly transactions: readonly { readonly hash: Hex; readonly fate: 'returned' | 'dropped' }[]
}

export interface BlockHooks {
  /** The hook adds transactions to the next block. `replacing` means that a reorg makes this block, which must stay empty. */
  readonly before?: (replacing: boolean) => Promise<void>
  /** The hook runs before the snapshot of the block's state. */
  readonly after?: () => Promise<void>
}

export interface EvmNode {
  request(call: JsonRpcCall): Promise<unknown>
  /** A server gets a result that needs no change as JSON text. */
  serve(call: JsonRpcCall): Promise<unknown>
  setMining(policy: MiningPolicy): void
  announce(): void
  /** Replaced blocks become empty ones with other hashes. State that cheat calls changed since then is undone too. */
  reorg(depth: number, options?: ReorgOptions): Promise<ReorgReport>
  drop(count: number): void
  stop(): Promise<void>
}

/** No reorg goes deeper, so blocks this far behind the newest are final. */
const finalityDepth = 64
const safeDepth = 32
const clockIntervalMs = 1_000
const rememberedTransactions = 20_000

interface Block {
  readonly hash: Hex
  readonly timestamp: Hex
  readonly transactions: readonly Hex[]
}

export async function createEvmNode(edr: EdrProvider, initialMining: MiningPolicy, hooks: BlockHooks = {}): Promise<EvmNode> {
  const queue = createSerialQueue()
  const snapshots = new Map<number, Hex>()
  const rawTransactions = new Map<Hex, Hex>()
  let policy: MiningPolicy = { kind: 'manual' }
  let timer: NodeJS.Timeout | undefined
  let blockWanted = false
  let dropsLeft = 0

  const headNumber = async () => Number(await edr.request({ method: 'eth_blockNumber' }))
  let head = await headNumber()

  async function rememberHead(): Promise<void> {
    snapshots.set(head, (await edr.request({ method: 'evm_snapshot' })) as Hex)
    for (const number of snapshots.keys()) if (number < head - finalityDepth) snapshots.delete(number)
  }

  async function mine(call: JsonRpcCall = ONE_BLOCK, replacing = false): Promise<unknown> {
    await hooks.before?.(replacing)
    const result = await edr.request(call)
    await hooks.after?.()
    head = call === ONE_BLOCK ? head + 1 : await headNumber()
    await rememberHead()
    return result
  }

  /** Transactions that arrive before the queue gets to the block share it. */
  function wantBlock(): void {
    if (blockWanted) return
    blockWanted = true
    void queue.run(async () => {
      blockWanted = false
      await mine()
    })
  }

  function announce(): void {
    if (policy.kind === 'instant') wantBlock()
  }

  function setMining(next: MiningPolicy): void {
    policy = next
    clearInterval(timer)
    timer = undefined
    if (next.kind === 'manual') return
    timer = setInterval(wantBlock, next.kind === 'interval' ? next.seconds * 1_000 : clockIntervalMs)
    if (next.kind === 'instant') wantBlock()
  }

  async function sendRaw(raw: Hex): Promise<Hex> {
    if (dropsLeft > 0) {
      dropsLeft -= 1
      return keccak256(raw)
    }
    const hash = (await edr.request({ method: 'eth_sendRawTransaction', params: [raw] })) as Hex
    rawTransactions.set(hash, raw)
    if (rawTransactions.size > rememberedTransactions) rawTransactions.delete(rawTransactions.keys().next().value ?? hash)
    announce()
    return hash
  }

  /** EDR forgets all snapshots from the reverted one on. */
  async function revertTo(snapshot: unknown): Promise<unknown> {
    const reverted = await edr.request({ method: 'evm_revert', params: [snapshot] })
    head = await headNumber()
    for (const number of snapshots.keys()) if (number >= head) snapshots.delete(number)
    await rememberHead()
    return reverted
  }

  async function poolHashes(): Promise<Hex[]> {
    const pool = (await edr.request({ method: 'eth_pendingTransactions' })) as { hash: Hex }[]
    return pool.map(({ hash }) => hash)
  }

  /** False means that the transaction is invalid on the new branch, for instance because its sender was funded on the old one. */
  async function returnToPool(hash: Hex): Promise<boolean> {
    const raw = rawTransactions.get(hash)
    if (raw === undefined) return false
    try {
      await edr.request({ method: 'eth_sendRawTransaction', params: [raw] })
      return true
    } catch (error) {
      if (error instanceof EdrRequestError) return false
      throw error
    }
  }

  async function replaceBlocks(depth: number, { transactions = 'return', blocks = depth }: ReorgOptions): Promise<ReorgReport> {
    const newest = head
    const forkBlock = newest - depth
    const snapshot = snapshots.get(forkBlock)
    if (depth < 1 || blocks < 1 || snapshot === undefined) {
      throw new RangeError(
        `cannot replace ${depth} blocks by ${blocks}: the newest is ${newest}, and blocks are final at depth ${finalityDepth}`,
      )
    }
    const old: Block[] = []
    for (let number = forkBlock + 1; number <= newest; number += 1) {
      old.push((await edr.request({ method: 'eth_getBlockByNumber', params: [numberToHex(number), false] })) as Block)
    }
    const pending = await poolHashes()
    const clockOffset = await addToClock(0)

    await revertTo(snapshot)
    for (const hash of await poolHashes()) await edr.request({ method: 'hardhat_dropTransaction', params: [hash] })
    // Without it, the same transactions mined in the same second would give the same block hash.
    await edr.request({ method: 'hardhat_setPrevRandao', params: [toHex(randomBytes(32))] })
    await setNextBlockToNow(clockOffset)
    await mine(undefined, true)
    // A second may have passed before the block is mined: then the chain's clock counts as behind.
    await addToClock(clockOffset - (await addToClock(0)))
    for (let mined = 1; mined < blocks; mined += 1) await mine(undefined, true)

    const fates: { hash: Hex; fate: 'returned' | 'dropped' }[] = []
    for (const hash of old.flatMap((block) => block.transactions)) {
      const returned = transactions === 'return' && (await returnToPool(hash))
      fates.push({ hash, fate: returned ? 'returned' : 'dropped' })
    }
    for (const hash of pending) await returnToPool(hash)
    announce()
    return { forkBlock, replaced: old.map((block) => block.hash), transactions: fates }
  }

  /** EDR moves its clock when it reverts a snapshot, but a reorg must not change the clock. A given timestamp sets the clock to it. */
  async function setNextBlockToNow(clockOffset: number): Promise<void> {
    const parent = (await edr.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as Block
    const timestamp = Math.max(Number(parent.timestamp), Math.floor(Date.now() / 1_000) + clockOffset)
    await edr.request({ method: 'evm_setNextBlockTimestamp', params: [numberToHex(timestamp)] })
  }

  /** Resolves to the seconds that the chain is then ahead of the wall clock. */
  async function addToClock(seconds: number): Promise<number> {
    return Number(await edr.request({ method: 'evm_increaseTime', params: [numberToHex(seconds)] }))
  }

  async function handle(call: JsonRpcCall, ask: (call: JsonRpcCall) => Promise<unknown> = edr.request): Promise<unknown> {
    const [first] = call.params ?? []
    switch (call.method) {
      case 'eth_sendRawTransaction':
        return sendRaw(first as Hex)
      case 'evm_mine':
      case 'hardhat_mine':
        return mine(call)
      case 'evm_revert':
        return revertTo(first)
      case 'evm_setAutomine':
        setMining({ kind: first === true ? 'instant' : 'manual' })
        return true
      case 'evm_setIntervalMining':
        setMining(Number(first) > 0 ? { kind: 'interval', seconds: Number(first) / 1_000 } : { kind: 'manual' })
        return true
      default:
        return ask({ method: call.method, params: withoutFinalityTags(call.params ?? []) })
    }
  }

  /** EDR calls its newest block final. Here the final block must be below the deepest possible reorg. */
  function withoutFinalityTags(params: readonly unknown[]): readonly unknown[] {
    if (!params.some(hasFinalityTag)) return params
    const depths: Record<string, number> = { safe: safeDepth, finalized: finalityDepth }
    const replaceTag = (value: unknown): unknown => {
      const depth = typeof value === 'string' ? depths[value] : undefined
      return depth === undefined ? value : numberToHex(Math.max(0, head - depth))
    }
    return params.map((param) =>
      typeof param === 'object' && param !== null && !Array.isArray(param)
        ? Object.fromEntries(Object.entries(param).map(([key, value]) => [key, replaceTag(value)]))
        : replaceTag(param),
    )
  }

  const queueFor = ({ method }: JsonRpcCall) => (readingMethods.has(method) ? queue.runReading : queue.run)

  await rememberHead()
  setMining(initialMining)

  return {
    request: (call) => queueFor(call)(() => handle(call)),
    serve: (call) => queueFor(call)(() => handle(call, edr.requestText)),
    setMining,
    announce,
    reorg: (depth, options = {}) => queue.run(() => replaceBlocks(depth, options)),
    drop(count) {
      dropsLeft = count
    },
    async stop() {
      setMining({ kind: 'manual' })
      await queue.close()
    },
  }
}

const ONE_BLOCK: JsonRpcCall = { method: 'evm_mine' }

/** These methods change nothing, so calls of one batch need not wait for each other. */
const readingMethods: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_call',
  'eth_estimateGas',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
])

const finalityTags: readonly unknown[] = ['safe', 'finalized']

function hasFinalityTag(param: unknown): boolean {
  if (typeof param !== 'object' || param === null) return finalityTags.includes(param)
  return Object.values(param).some((value) => finalityTags.includes(value))
}
