/** Runs a command until a signal, or until the npm or the local stack that started it has ended, and stops it cleanly. Errors become one line that says what to do. */

import { OF_STACK } from '@tandem/runtime/local-stack.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { explainError } from './terminal.ts'

export async function runUntilStopped(
  log: Logger,
  start: () => Promise<{ stop(): Promise<void> }>,
  nowMs: () => number = () => performance.now(),
): Promise<void> {
  let askedAt: number | null = null
  // Supervisors have such channels too, and one that ends or restarts must not stop this process.
  const isOfStack = process.env[OF_STACK] !== undefined
  const stopAsked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        // A second Ctrl-C does not wait for a clean stop.
        if (askedAt !== null && nowMs() - askedAt > SAME_SIGNAL_MS) process.exit(130)
        askedAt ??= nowMs()
        resolve()
      })
    }
    whenNpmEnds(resolve)
    if (isOfStack) process.once('disconnect', resolve)
  })
  try {
    const running = await start()
    if (isOfStack) process.send?.('running')
    await stopAsked
    log.info('stopping')
    await running.stop()
  } catch (error) {
    process.stderr.write(`tandem: ${explainError(error)}\n`)
    process.exitCode = 1
  } finally {
    // An open channel would keep the process alive.
    if (isOfStack && process.connected) process.disconnect()
  }
}

/** Under npm, one Ctrl-C in a terminal arrives twice: from the terminal, and passed on by npm. */
const SAME_SIGNAL_MS = 300

const PARENT_CHECK_MS = 1_000

/** npm passes SIGTERM and SIGINT on. Any other signal ends npm alone, which would leave this process running. */
function whenNpmEnds(then: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const npm = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === npm) return
    clearInterval(timer)
    then()
  }, PARENT_CHECK_MS).unref()
}
