/** Every fenced block of the pages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { markdownPages } from '../links.ts'

export type Block = {
  readonly page: string
  /** Of its fence, from 1. */
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
