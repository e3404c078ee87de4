/** A benchmark compares the figures of one run with a limit or a peer. */

/** The test command runs every benchmark at its smallest size, so that none stops working unnoticed. Its figures mean nothing. */
export type Size = 'full' | 'smallest'

export type Table = {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

export type Bench = {
  readonly name: string
  readonly about: string
  readonly conditions: string
  run(options: { readonly size: Size; readonly onProgress: (what: string) => void }): Promise<BenchResult>
}

export type BenchResult = {
  readonly table: Table
  /** This is false when a limit was missed. */
  readonly ok: boolean
}

/** The text is "0.41", or "–" without a peer. */
export function ratio(ours: number, peer: number | null): string {
  return peer === null ? '–' : (ours / peer).toFixed(2)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Returns the smallest value that is at least as large as `percent` of all values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN
}

export function withCommas(n: number): string {
  return n.toLocaleString('en-US')
}

/** All processes of this machine share this clock, in milliseconds with fractions. */
export function clockMs(): number {
  return performance.timeOrigin + performance.now()
}
