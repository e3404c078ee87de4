/** A worker thread runs one job at a time, and loads only the modules of the jobs that it gets. */
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { toPlainError } from './job-error.ts'
import type { AnswerMessage, JobMessage } from './message.ts'
import { Moving } from './moving.ts'

/** The priority is below that of the event loops, which share the cores. */
const NICENESS = 10

const port = parentPort
if (port === null) throw new Error('this file runs in a worker thread only')
// On Linux the priority is the thread's own; elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(NICENESS)

port.on('message', async (message: JobMessage) => {
  let answer: AnswerMessage
  let moved: readonly ArrayBuffer[] = []
  try {
    const result = await run(message)
    if (result instanceof Moving) moved = result.moved
    answer = { value: result instanceof Moving ? result.value : result }
  } catch (error) {
    answer = { error: toPlainError(error) }
  }
  port.postMessage(answer, [...moved])
})

async function run({ module, name, args }: JobMessage): Promise<unknown> {
  const { jobs } = (await import(module)) as { readonly jobs: Readonly<Record<string, (...args: readonly unknown[]) => unknown>> }
  const job = jobs[name]
  if (job === undefined) throw new Error(`${module} has no job "${name}"`)
  return job(...args)
}
