// Joins the contract's sources into one text, since the compiler takes one file: every `mod name;` becomes the module itself.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compilerVersion } from './cairo.ts'

const sourceFolder = join(import.meta.dirname, '../src')

export function contractSource(): string {
  return readSource('lib').replaceAll(/^pub mod (\w+);$/gm, (_, name: string) => moduleOf(name, readSource(name)))
}

export function moduleOf(name: string, text: string): string {
  // A comment about the module stands at the top of a file, and nowhere else.
  return `pub mod ${name} {\n${text.replaceAll(/^\/\/!/gm, '//')}}\n`
}

function readSource(name: string): string {
  return readFileSync(join(sourceFolder, `${name}.cairo`), 'utf8')
}

/** The hash changes with every source and with the compiler: a committed class with another hash is stale. */
export function sourceHash(): string {
  const sources = readdirSync(sourceFolder)
    .sort()
    .map((name) => [name, readFileSync(join(sourceFolder, name), 'utf8')])
  return createHash('sha256').update(JSON.stringify({ sources, compilerVersion })).digest('hex')
}
