/** Chains, service, solver and signer are processes of their own, in a folder that is removed at the end. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalJson } from '@tandem/local/local-json.ts'
import { type Child, startChild } from '../api/child.ts'
import type { ChainsInput } from './chains-child.ts'
import type { PartyInput } from './party-child.ts'

/** The chains send this once they run. */
export type ChainsReady = {
  readonly info: LocalJson
  readonly serviceFile: string
  readonly solverFile: string
  readonly signerFile: string | null
}

export type Processes = {
  startChains(input: Omit<ChainsInput, 'folder' | 'hasSigner'> & Partial<ChainsInput>): Promise<Child<ChainsReady>>
  startParty(input: PartyInput): Promise<Child<{ readonly url: string }>>
}

/** After the work all processes end, the last one first. */
export async function withProcesses<T>(work: (processes: Processes) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-bench-'))
  const children: Child<unknown>[] = []
  const start = async <R>(file: string, input: ChainsInput | PartyInput): Promise<Child<R>> => {
    const child = await startChild<R>(`../load/${file}`, input)
    children.push(child)
    return child
  }
  try {
    return await work({
      startChains: (input) => start('chains-child.ts', { folder, hasSigner: false, ...input }),
      startParty: (input) => start('party-child.ts', input),
    })
  } finally {
    for (const child of children.toReversed()) await child.end()
    await rm(folder, { recursive: true, force: true })
  }
}
