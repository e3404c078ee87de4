// Runs the Cairo compiler or its virtual machine in a child process.
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

export interface CairoTask {
  readonly what: 'compile' | 'test'
  readonly source: string
}

/** Resolves with a Sierra class as JSON, or with the test runner's report. Rejects with the compiler's error text. */
export async function runCairo(task: CairoTask): Promise<string> {
  const child = fork(join(import.meta.dirname, 'run-child.ts'), {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const result = new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve(String(message)))
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(`the Cairo compiler ended with ${code}`)))
  })
  child.send(task)
  const errors = child.stderr === null ? '' : text(child.stderr)
  try {
    return await result
  } catch (error) {
    throw new Error((await errors) || String(error), { cause: error })
  } finally {
    child.kill()
  }
}
