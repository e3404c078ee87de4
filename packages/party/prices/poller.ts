/** Reads one source again and again. After a failure it waits longer each time: an exchange may have set a limit. */
import type { PriceSource, SourceAnswer } from './sources/source.ts'

export interface Poller {
  /** After its first answer. */
  readonly ready: Promise<void>
  stop(): Promise<void>
}

const MAX_WAIT_POLLS = 4

export function startPoller(source: PriceSource, pollMs: number, onAnswers: (answers: readonly SourceAnswer[]) => void): Poller {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running = poll(pollMs)
  const ready = running

  async function poll(waitMs: number): Promise<void> {
    const answers = await source.read()
    if (stopped) return
    onAnswers(answers)
    const failed = answers.length > 0 && answers.every(({ price }) => price === null)
    const next = failed ? Math.min(waitMs * 2, pollMs * MAX_WAIT_POLLS) : pollMs
    timer = setTimeout(() => {
      running = poll(next)
    }, next).unref()
  }

  return {
    ready,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
