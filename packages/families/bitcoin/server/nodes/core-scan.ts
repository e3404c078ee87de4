/**
 * Scans the UTXO set of a node without a wallet (`scantxoutset`). A scan takes minutes on mainnet, and a node runs one at a time, also
 * those of other programs. So our scans run in the background, one after another, and callers repeat their request.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { type Json, record } from '@tandem/chain-kit/providers/json.ts'
import type { JsonRpc } from '@tandem/chain-kit/providers/json-rpc.ts'
import { isUnreachable, Refusal } from '@tandem/chain-kit/providers/refusal.ts'

/** No scan takes longer: it takes an hour on a slow disk. */
export const SCAN_TIMEOUT_MS = 2 * 3600_000
/** A caller waits no longer than this for a scan, because it may hold a key. */
const PATIENCE_MS = 5_000
const RETRY_AFTER_MS = 30_000
const STATUS_MS = 5_000
const MAX_CHECKS = SCAN_TIMEOUT_MS / STATUS_MS
/** Bitcoin Core answers with this code: "Scan already in progress, use action "abort" or "status"". */
const RPC_INVALID_PARAMETER = -8

export type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>

export interface CoreScans {
  scan(address: string): Promise<Json>
  /** The promise rejects with `would-fail` if the work takes longer than a caller should wait. */
  patiently<T>(work: Promise<T>): Promise<T>
  /** A scan that is under way is aborted: the node would continue it although nobody needs the result. */
  close(): Promise<void>
}

const realPause: Pause = (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)

export type ScanOptions = {
  readonly pause?: Pause
  /** A caller that has nothing else to do, e.g. a command, waits longer. */
  readonly patienceMs?: number
}

export function createCoreScans(rpc: JsonRpc, { pause = realPause, patienceMs = PATIENCE_MS }: ScanOptions = {}): CoreScans {
  const closing = new AbortController()
  let queue: Promise<unknown> = Promise.resolve()
  let isScanning = false

  async function start(address: string): Promise<Json> {
    for (let checks = 0; checks < MAX_CHECKS && !closing.signal.aborted; checks++) {
      const answer = await startOnce(address)
      if (answer !== null) return answer
      // Another program runs the scan, or it is one of ours whose connection broke: we cannot get its result.
      do {
        await pause(STATUS_MS, closing.signal)
        checks += 1
      } while (checks < MAX_CHECKS && !closing.signal.aborted && (await rpc.call('scantxoutset', ['status'])) !== null)
    }
    throw new ChainFailure('unreachable', 'the node cannot list coins: it is busy with a scan of another program')
  }

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
      const answer = queue.then(() => start(address))
      queue = answer.catch(() => undefined)
      return answer
    },
    async patiently(work) {
      const waiting = new AbortController()
      const isLate = pause(patienceMs, AbortSignal.any([waiting.signal, closing.signal])).then(() => LATE)
      // The work goes on after the caller stopped waiting.
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
        // If the node does not answer, its scan is over too.
        if (!(error instanceof Refusal) && !isUnreachable(error)) throw error
      }
    },
  }
}

const LATE = Symbol('late')
