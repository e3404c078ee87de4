/** The interface of a price source. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'

export interface PriceSource {
  readonly name: string
  readonly markets: readonly string[]
  /** An older price does not count. */
  readonly maxAgeMs: number
  /** Returns one answer for each market. Never rejects. */
  read(): Promise<readonly SourceAnswer[]>
}

export type SourceAnswer = { readonly market: string } & (
  | { readonly price: UsdPrice /** Unix milliseconds. */; readonly at: number; readonly problem: null }
  | { readonly price: null; readonly problem: string }
)

const MAX_PROBLEM_LENGTH = 160

/** Texts from outside are printed and stored, so they are cut to one short line. */
function oneLine(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, MAX_PROBLEM_LENGTH)
}

export function problemOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error))
}
