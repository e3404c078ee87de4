/**
 * `scantxoutset`: a node without a wallet reads its whole UTXO set for the coins of an address. That takes minutes on mainnet, and a node runs one scan at a
 * time, whoever asked for it. So ours run in the background, one after the other, and callers ask again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { type Json, record } from '@tandem/chain-kit/providers/json.ts'
import type { JsonRpc } from '@tandem/chain-kit/providers/json-rpc.ts'
import { isUnreachable, Refusal } from '@tandem/chain-kit/providers/refusal.ts'

/** Longer than any scan: an hour on a slow disk. */
export const SCAN_TIMEOUT_MS = 2 * 3600_000
/** How long a caller waits for a scan: it may hold a key. */
const PATIENCE_MS = 5_000
const RETRY_AFTER_MS = 30_000
/** How often to look whether a scan of another program has ended. */
const STATUS_MS = 5_000
const MAX_LOOKS = SCAN_TIMEOUT_MS / STATUS_MS
/** Of Bitcoin Core: "Scan already in progress, use action "abort" or "status"". */
const RPC_INVALID_PARAMETER = -8

export type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>

export interface CoreScans {
  /** The answer of the node; takes as long as the scan. */
  scan(address: string): Promise<Json>
  /** The result of some work that may include a scan; rejects with `would-fail` if it takes longer than a caller should wait. */
  patiently<T>(work: Promise<T>): Promise<T>
  /** Ends a scan that is under way: the node would go on with it for nobody. */
  close(): Promise<void>
}

const realPause: Pause = (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)

export type ScanOptions = {
  readonly pause?: Pause
  /** Longer for a caller that has nothing else to do, e.g. a command. */
  readonly patienceMs?: number
}

export function createCoreScans(rpc: JsonRpc, { pause = realPause, patienceMs = PATIENCE_MS }: ScanOptions = {}): CoreScans {
  const closing = new AbortController()
  let queue: Promise<unknown> = Promise.resolve()
  let isScanning = false

  async function start(address: string): Promise<Json> {
    for (let looks = 0; looks < MAX_LOOKS && !closing.signal.aborted; looks++) {
      const answer = await startOnce(address)
      if (answer !== null) return answer
      // Another program's scan, or one of ours whose connection broke. Its result is not for us.
      do {
        await pause(STATUS_MS, closing.signal)
        looks += 1
      } while (looks < MAX_LOOKS && !closing.signal.aborted && (await rpc.call('scantxoutset', ['status'])) !== null)
    }
    throw new ChainFailure('unreachable', 'the node cannot list coins: it is busy with a scan of another program')
  }

  /** Null while another scan runs. */
  async function startOnce(address: string): Promise<Json | null> {
    isScanning = true
    try {
      const answer = record(await rpc.call('scantxoutset', ['start', [`addr(${address})`]], SCAN_TIMEOUT_MS))
      if (answer.success !== true) throw new ChainFailure('unreachable', 'the scan of the UTXO set was aborted')
      return answer
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === RPC_INVALID_PARAMETER && /in progress/i.test(error.message)) return null
      throw new ChainFailure('unreachable', `the node cannot list coins now: ${error.message}`, { cause: error })
    } finally {
      isScanning = false
    }
  }

  /** In percent; null if the node does not say. */
  async function progress(): Promise<number | null> {
    try {
      const status = await rpc.call('scantxoutset', ['status'])
      const percent = status === null ? null : record(status).progress
      return typeof percent === 'number' ? percent : null
    } catch (error) {
      if (error instanceof Refusal || isUnreachable(error)) return null
      throw error
    }
  }

  return {
    scan(address) {
      const turn = queue.then(() => start(address))
      queue = turn.catch(() => undefined)
      return turn
    },
    async patiently(work) {
      const waiting = new AbortController()
      const isLate = pause(patienceMs, AbortSignal.any([waiting.signal, closing.signal])).then(() => LATE)
      // The work goes on when nobody waits for it any more.
      work.catch(() => undefined)
      const result = await Promise.race([work, isLate]).finally(() => waiting.abort())
      if (result !== LATE) return result as Awaited<typeof work>
      const percent = await progress()
      throw new ChainFailure(
        'would-fail',
        `the node reads its whole UTXO set for our coins, which takes minutes${percent === null ? '' : ` (${Math.floor(percent)} % done)`}: wait, or add an endpoint "esplora", which has an index`,
        { retryAfterMs: RETRY_AFTER_MS },
      )
    },
    async close() {
      closing.abort()
      if (!isScanning) return
      try {
        await rpc.call('scantxoutset', ['abort'])
      } catch (error) {
        // The node is gone: so is its scan.
        if (!(error instanceof Refusal) && !isUnreachable(error)) throw error
      }
    },
  }
}

const LATE = Symbol('late')
