/** Simulates providers of an invented chain. The test sets their answers. */
import { ChainFailure } from '../port/failure.ts'
import { createProviderPool } from './pool.ts'
import type { Quorum } from './quorum.ts'

export interface Answering {
  problem(): Promise<string | null>
  answer(): Promise<unknown>
}

const unreachable = () => Promise.reject(new ChainFailure('unreachable', 'ECONNREFUSED'))

export function says(value: unknown, problem: Answering['problem'] = async () => null): Answering {
  return { problem, answer: typeof value === 'function' ? async () => value() : async () => value }
}

export const dead = says(unreachable)
export const silent = says(() => new Promise(() => undefined))

export function quorumOf(size: number, ...nodes: readonly Answering[]) {
  const troubles: string[] = []
  const clock = { ms: 0 }
  const providers = nodes.map((node, i) => ({ name: 'abcdef'[i] ?? '', node }))
  const pool = createProviderPool(providers, {
    problemOf: (node) => node.problem(),
    onTrouble: (what) => troubles.push(what),
    nowMs: () => clock.ms,
  })
  const quorum: Quorum<Answering> = { pool, size }
  return { quorum, pool, providers, troubles, clock }
}
