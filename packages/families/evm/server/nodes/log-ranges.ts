/** Reads logs from one provider in ranges as large as it allows, and learns its limit from its refusals. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { max, min } from '@tandem/protocol/bigint.ts'
import { NodeRefusal } from './rpc.ts'

export interface LogRanges {
  read<Log>(ask: (from: bigint, to: bigint) => Promise<readonly Log[]>, from: bigint, to: bigint): Promise<readonly Log[]>
}

const MAX_SPAN = 10_000n

export function createLogRanges(): LogRanges {
  /** This many blocks are requested at once. A refusal halves the number, and a success raises it. */
  let span = MAX_SPAN
  let limit = MAX_SPAN

  return {
    async read<Log>(ask: (from: bigint, to: bigint) => Promise<readonly Log[]>, from: bigint, to: bigint) {
      const found: Log[] = []
      let next = from
      while (next <= to) {
        const last = min(next + span - 1n, to)
        const asked = last - next + 1n
        try {
          found.push(...(await ask(next, last)))
          next = last + 1n
          span = min(span + span / 4n + 1n, limit)
        } catch (error) {
          if (!(error instanceof NodeRefusal)) {
            // The request may have timed out because of the size, so the next read requests less.
            span = max(asked / 2n, 1n)
            throw error
          }
          // Providers word their limits in many ways, so any refusal may be a limit, except for a single block.
          if (asked === 1n) throw new ChainFailure('unreachable', `the node refuses logs of block ${next}: ${error.message}`)
          const hint = spanHint(error.message)
          const isUsable = hint !== null && hint.blocks < asked
          if (isUsable && hint.isLimit) limit = hint.blocks
          span = isUsable ? hint.blocks : asked / 2n
        }
      }
      return found
    },
  }
}

/** `isLimit` means that the hint holds for every range, and not just for this one. */
type SpanHint = { readonly blocks: bigint; readonly isLimit: boolean }

/** "…this block range should work: [0x64, 0x1f3]" */
const WORKING_RANGE = /\[\s*(0x[0-9a-f]{1,16})\s*,\s*(0x[0-9a-f]{1,16})\s*\]/i
/** "up to a 2K block range", "limited to 0 - 50 blocks range", "a 10,000 range" */
const NUMBER_FIRST = /\b([0-9][0-9,]*)\s?(k)?[\s-]blocks?\b|\b([0-9][0-9,]*)\s?(k)? range\b/i
/** "max block range 5000", "maximum block range: 5000", "block range limit of 800", "too many blocks …, maximum is set to 2048" */
const NUMBER_LAST =
  /\b(?:block )?range(?: limit| size)?(?: is| of|:)? ([0-9][0-9,]*)(k)?\b|\bmax(?:imum)?(?: is)?(?: set to)?:? ([0-9][0-9,]*)(k)?\b/i

export function spanHint(message: string): SpanHint | null {
  const working = WORKING_RANGE.exec(message)
  if (working !== null) {
    const blocks = BigInt(working[2] ?? 0) - BigInt(working[1] ?? 0) + 1n
    return blocks > 0n ? { blocks, isLimit: false } : null
  }
  if (!/range|blocks/i.test(message)) return null
  const named = NUMBER_FIRST.exec(message) ?? NUMBER_LAST.exec(message)
  const digits = (named?.[1] ?? named?.[3])?.replaceAll(',', '')
  if (digits === undefined || digits.length > 9) return null
  const blocks = BigInt(digits) * ((named?.[2] ?? named?.[4]) === undefined ? 1n : 1_000n)
  return blocks > 0n ? { blocks, isLimit: true } : null
}
