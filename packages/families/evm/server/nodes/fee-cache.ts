/** Caches fees per gas for a moment: every action asks for them, and they are in the newest block that the watcher has just read. */
import type { Chain } from '@tandem/protocol/chain.ts'
import { verdictOf } from '../send/broadcast.ts'
import type { EvmNode } from './node.ts'
import { NodeRefusal } from './rpc.ts'

/** EIP-1559 raises the base fee by an eighth per block at most. We offer twice the base fee, so four blocks are harmless. */
const BASE_FEE_BLOCKS = 4
const BASE_FEE_MS = 2_000
/** Nodes suggest a priority fee from the last twenty blocks or so: one block changes little. */
const PRIORITY_FEE_MS = { min: 2_000, max: 12_000 } as const

/** A broadcast that is refused as underpriced empties the cache. */
export function withFeeCache(node: EvmNode, { blockMs }: Pick<Chain, 'blockMs'>, nowMs: () => number = () => performance.now()): EvmNode {
  const baseFeeMs = Math.min(BASE_FEE_MS, Number(blockMs) * BASE_FEE_BLOCKS)
  const priorityFeeMs = Math.min(Math.max(Number(blockMs), PRIORITY_FEE_MS.min), PRIORITY_FEE_MS.max)
  const baseFee = createTtlCache(baseFeeMs, node.baseFee, nowMs)
  const gasPrice = createTtlCache(baseFeeMs, node.gasPrice, nowMs)
  const priorityFee = createTtlCache(priorityFeeMs, node.priorityFee, nowMs)

  return {
    ...node,
    async block(height) {
      const askedAtMs = nowMs()
      const block = await node.block(height)
      if (height === 'latest' && block !== null) baseFee.set(block.baseFeePerGas, askedAtMs)
      return block
    },
    baseFee: baseFee.get,
    gasPrice: gasPrice.get,
    priorityFee: priorityFee.get,
    async broadcast(raw) {
      try {
        await node.broadcast(raw)
      } catch (error) {
        if (error instanceof NodeRefusal && verdictOf(error) === 'underpriced')
          for (const cache of [baseFee, gasPrice, priorityFee]) cache.clear()
        throw error
      }
    },
  }
}

type TtlCache<T> = { get(): Promise<T>; set(value: T, askedAtMs: number): void; clear(): void }

/** Concurrent callers share one request. A refusal is cached too: a node without the method need not be asked each time. */
function createTtlCache<T>(ttlMs: number, ask: () => Promise<T>, nowMs: () => number): TtlCache<T> {
  let cached: { readonly askedAtMs: number; readonly answer: Promise<T> } | null = null
  const cache: TtlCache<T> = {
    get() {
      if (cached !== null && nowMs() - cached.askedAtMs < ttlMs) return cached.answer
      const asked = { askedAtMs: nowMs(), answer: ask() }
      cached = asked
      asked.answer.catch((error: unknown) => {
        if (!(error instanceof NodeRefusal) && cached === asked) cached = null
      })
      return asked.answer
    },
    set(value, askedAtMs) {
      if (cached === null || cached.askedAtMs <= askedAtMs) cached = { askedAtMs, answer: Promise.resolve(value) }
    },
    clear() {
      cached = null
    },
  }
  return cache
}
