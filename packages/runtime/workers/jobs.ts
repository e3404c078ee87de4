/** The jobs of a module are called in the pool of this process, with their types. */
import type { Moving } from './moving.ts'
import { createPool, type Priority } from './pool.ts'

const pool = createPool()

export type Jobs = Readonly<Record<string, (...args: never[]) => unknown>>

type Result<T> = Awaited<T> extends Moving<infer Value> ? Value : Awaited<T>

export type RunJob<J extends Jobs> = <K extends keyof J & string>(
  name: K,
  args: Readonly<Parameters<J[K]>>,
  moved?: readonly ArrayBuffer[],
) => Promise<Result<ReturnType<J[K]>>>

/** `module` is the URL of the module that exports these jobs as `jobs`. */
export function jobsOf<J extends Jobs>(module: string, priority: Priority = 'normal'): RunJob<J> {
  return async (name, args, moved) => (await pool.run({ module, name, args }, moved, priority)) as Result<ReturnType<J[typeof name]>>
}
