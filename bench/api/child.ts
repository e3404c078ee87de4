/** Servers under load are processes of their own, so that the load generator does not compete with them for one thread. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { compiledChild } from '../compiled-children.ts'

export type Child<T> = {
  readonly ready: T
  ask<A>(question: unknown): Promise<A>
  stop(): Promise<void>
  end(): Promise<void>
  readonly pid: number
}

/** A benchmark that hangs must say where. */
const END_LIMIT_MS = 60_000

/** The file is beside this one. Resolves with the first message that it sends. */
export async function startChild<T>(file: string, input: unknown): Promise<Child<T>> {
  const child = fork(fileURLToPath(compiledChild(new URL(file, import.meta.url))), [JSON.stringify(input)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // The child must not inherit the loader of this process.
    execArgv: [],
  })
  const ready = await nextMessage<T>(child, file)
  return {
    ready,
    async ask<A>(question: unknown) {
      const answer = nextMessage<A>(child, file)
      child.send(question as object)
      return answer
    },
    async end() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.send('end')
      const limit = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS)
      await exited
      clearTimeout(limit)
      if (child.signalCode === 'SIGKILL') throw new Error(`${file} did not end by itself within ${END_LIMIT_MS / 1000} s`)
    },
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

function nextMessage<T>(child: ChildProcess, file: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`${file} ended before it answered`))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      resolve(message as T)
    })
  })
}

/** The child ends with its parent. */
export function readInput<T>(): T {
  process.once('disconnect', () => process.exit(1))
  return JSON.parse(process.argv[2] ?? 'null') as T
}

export function tellParent(message: object): void {
  process.send?.(message)
}

/** The question `cpu` is answered with the child's processor time so far; `onOther` gets the other questions. */
export function answerCpu(onOther: (question: unknown) => void = () => undefined): void {
  process.on('message', (question) => {
    if (question !== 'cpu') {
      onOther(question)
      return
    }
    const { user, system } = process.cpuUsage()
    tellParent({ cpuMicros: user + system })
  })
}
