/** The steps of a swap are printed with their durations, and a summary in one line. */

export type SwapReport = {
  readonly swap: string
  readonly order_id: string
  readonly ok: boolean
  readonly status: string
  readonly source_tx: string
  readonly destination_tx: string
  readonly refund_tx?: string
  readonly error?: string
  /** Each step took this many milliseconds. */
  readonly ms: Readonly<Record<string, number>>
}

export interface StoryTeller {
  begin(title: string): void
  /** The step is printed with the time since the one before. */
  step(name: string, detail: string): void
  /** The times are those since `begin`. */
  readonly ms: Readonly<Record<string, number>>
  end(report: SwapReport): void
  skip(swap: string, why: string): void
}

export function createStoryTeller(options: { readonly json: boolean; readonly write: (text: string) => void }): StoryTeller {
  const { json, write } = options
  let ms: Record<string, number> = {}
  let last = performance.now()

  return {
    begin(title) {
      ms = {}
      last = performance.now()
      if (!json) write(`\n${title}\n`)
    },
    step(name, detail) {
      const now = performance.now()
      ms[name] = Math.round(now - last)
      last = now
      if (!json) write(`  ${name.padEnd(24)}${`${ms[name]} ms`.padStart(9)}   ${detail}\n`)
    },
    get ms() {
      return { ...ms }
    },
    end(report) {
      if (json) write(`${JSON.stringify(report)}\n`)
      else write(report.ok ? `  ✓ every balance changed as it should\n` : `  ✗ ${report.error ?? 'failed'}\n`)
    },
    skip(swap, why) {
      write(json ? `${JSON.stringify({ swap, skipped: why })}\n` : `  – skipped: ${why}\n`)
    },
  }
}
