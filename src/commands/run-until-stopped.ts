/** Keeps a command running until Ctrl-C or SIGTERM, then ends it cleanly; errors become one line that says what to do. */
import type { Logger } from '../log.ts'
import { explainError } from './explain-error.ts'

export async function runUntilStopped(log: Logger, start: () => Promise<{ stop(): Promise<void> }>): Promise<void> {
  let asked = false
  const stopAsked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        // A second Ctrl-C: do not wait for a clean stop.
        if (asked) process.exit(130)
        asked = true
        resolve()
      })
    }
  })
  try {
    const running = await start()
    await stopAsked
    log.info('stopping')
    await running.stop()
  } catch (error) {
    process.stderr.write(`tandem: ${explainError(error)}\n`)
    process.exitCode = 1
  }
}
