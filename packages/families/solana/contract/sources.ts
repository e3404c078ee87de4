// What the C sources say without a compiler: their hash, and the list of errors.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compilerOptions, compilerVersion, sourceFolder } from './compile.ts'

export interface ProgramError {
  readonly code: number
  readonly name: string
  readonly message: string
}

/** Changes with every source, with the compiler and its options: a committed program with another hash is stale. */
export function sourceHash(): string {
  const sources = readdirSync(sourceFolder)
    .sort()
    .map((name) => [name, readFileSync(join(sourceFolder, name), 'utf8')])
  return createHash('sha256').update(JSON.stringify({ sources, compilerVersion, compilerOptions })).digest('hex')
}

/** The `ERRORS` of htlc.h. */
export function readErrors(): readonly ProgramError[] {
  const header = readFileSync(join(sourceFolder, 'htlc.h'), 'utf8')
  const found = [...header.matchAll(/X\((\d+), (\w+), "([^"]+)"\)/g)]
  return found.map(([, code, name = '', message = '']) => ({ code: Number(code), name, message }))
}
