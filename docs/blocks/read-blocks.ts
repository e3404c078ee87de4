/** Reads the fenced blocks of the pages, and cuts shell blocks into commands. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { markdownPages } from '../links.ts'

export type Block = {
  readonly page: string
  /** The line of its fence, from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
}

const FENCE = /^ *```(.*)$/

export function readBlocks(repository: string): readonly Block[] {
  return markdownPages(repository).flatMap((page) => blocksOf(page, readFileSync(join(repository, page), 'utf8')))
}

export function blocksOf(page: string, text: string): readonly Block[] {
  const blocks: Block[] = []
  let open: { readonly line: number; readonly language: string; readonly lines: string[] } | null = null
  for (const [index, line] of text.split('\n').entries()) {
    const fence = FENCE.exec(line)
    if (fence === null) open?.lines.push(line)
    else if (open === null) open = { line: index + 1, language: (fence[1] ?? '').trim(), lines: [] }
    else {
      blocks.push({ page, line: open.line, language: open.language, text: open.lines.join('\n') })
      open = null
    }
  }
  if (open !== null) throw new Error(`${page}:${open.line}: the block does not end`)
  return blocks
}

/** Cuts the text of a shell block into commands, as a person types them: one after the other, each to its end. */
export function commandsOf(text: string): readonly string[] {
  const commands: string[] = []
  let pending = ''
  for (const line of text.split('\n')) {
    if (pending === '' && (line.trim() === '' || line.trimStart().startsWith('#'))) continue
    pending += `${line}\n`
    if (!isComplete(pending)) continue
    commands.push(pending.trimEnd())
    pending = ''
  }
  if (pending !== '') throw new Error(`the shell does not understand ${pending}`)
  return commands
}

function isComplete(text: string): boolean {
  if (text.endsWith('\\\n')) return false
  // A placeholder is a word, not a redirection.
  const { status, error } = spawnSync('bash', ['-n'], { input: text.replaceAll(/<([^<>\n]*)>/g, '$1') })
  if (error !== undefined) throw error
  return status === 0
}
