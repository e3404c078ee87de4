/** A source of prices, whatever is behind it. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'

export interface PriceSource {
  readonly name: string
  /** Those of the wanted markets that it knows. */
  readonly markets: readonly string[]
  /** An older price does not count. */
  readonly maxAgeMs: number
  /** One answer for each of its markets. Never rejects. */
  read(): Promise<readonly SourceAnswer[]>
}

export type SourceAnswer = { readonly market: string } & (
  | { readonly price: UsdPrice /** Unix milliseconds. */; readonly at: number; readonly problem: null }
  | { readonly price: null; readonly problem: string }
)

const MAX_PROBLEM = 160

/** The texts of others are printed and stored: one line, not long. */
function oneLine(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, MAX_PROBLEM)
}

export function problemOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error))
}
