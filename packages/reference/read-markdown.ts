/** Reads the part of Markdown that our guides use: headings, paragraphs, lists, tables, code. Anything else is an error, not a surprise on the page. */
import { readFileSync } from 'node:fs'
import type { Block, Inline, Page } from './blocks.ts'

export type Guide = { readonly title: string; readonly summary: Inline; readonly blocks: readonly Block[] }

/** The files of docs/guides, in the order in which a newcomer reads them. */
export const guideNames = ['first-swap', 'gasless', 'client-held-secret', 'webhooks', 'run-a-solver', 'run-your-own'] as const

const GUIDES = new URL('../../docs/guides/', import.meta.url)
const FENCE = '```'

export function readGuides(): readonly Page[] {
  return guideNames.map((name) => {
    const { title, summary, blocks } = readGuide(readFileSync(new URL(`${name}.md`, GUIDES), 'utf8'))
    return { path: `/docs/guides/${name}`, title, summary, method: null, blocks }
  })
}

/** A guide begins with `# Title` and one paragraph, which is its summary too. */
export function readGuide(text: string): Guide {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  const title = /^# (.+)$/.exec(lines[first] ?? '')?.[1]
  if (title === undefined) throw new Error('a guide begins with "# " and its title')
  const blocks = readBlocks(lines.slice(first + 1))
  const [summary] = blocks
  if (summary?.kind !== 'paragraph') throw new Error(`the guide "${title}" has no first paragraph`)
  return { title, summary: summary.text, blocks }
}

function readBlocks(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const { block, next } = readBlock(lines, at)
    if (block !== null) blocks.push(block)
    at = next
  }
  return blocks
}

type Read = { readonly block: Block | null; readonly next: number }

function readBlock(lines: readonly string[], at: number): Read {
  const line = lines[at] ?? ''
  if (line.trim() === '') return { block: null, next: at + 1 }
  if (line.startsWith(FENCE)) return readCode(lines, at)
  if (line.startsWith('|')) return readTable(lines, at)
  const heading = /^(#+) (.+)$/.exec(line)
  if (heading !== null) return { block: readHeading(heading[1] ?? '', heading[2] ?? ''), next: at + 1 }
  return itemOf(line) === null ? readParagraph(lines, at) : readList(lines, at)
}

function readHeading(marks: string, text: string): Block {
  if (marks.length !== 2 && marks.length !== 3) throw new Error(`the heading "${text}" has ${marks.length} marks: guides use two or three`)
  return { kind: 'heading', level: marks.length, text }
}

function readCode(lines: readonly string[], at: number): Read {
  const end = lines.findIndex((line, index) => index > at && line.startsWith(FENCE))
  if (end < 0) throw new Error(`the code of line ${at + 1} does not end`)
  const language = (lines[at] ?? '').slice(FENCE.length).trim()
  return { block: { kind: 'code', language, text: lines.slice(at + 1, end).join('\n') }, next: end + 1 }
}

function readTable(lines: readonly string[], at: number): Read {
  const rows = whileTrue(lines, at, (line) => line.startsWith('|')).map(cellsOf)
  const [head = [], , ...rest] = rows
  return { block: { kind: 'table', head, rows: rest }, next: at + rows.length }
}

/** `\|` is a bar inside of a cell. */
function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function itemOf(line: string): { readonly isOrdered: boolean; readonly text: string } | null {
  const found = /^(-|\d+\.) (.+)$/.exec(line)
  return found === null ? null : { isOrdered: found[1] !== '-', text: found[2] ?? '' }
}

/** Lines that begin with two spaces continue an item. */
function readList(lines: readonly string[], at: number): Read {
  const part = whileTrue(lines, at, (line) => itemOf(line) !== null || /^ {2,}\S/.test(line))
  const items: string[] = []
  for (const line of part) {
    const item = itemOf(line)
    if (item === null) items.push(`${items.pop() ?? ''} ${line.trim()}`)
    else items.push(item.text)
  }
  return { block: { kind: 'list', isOrdered: itemOf(lines[at] ?? '')?.isOrdered ?? false, items }, next: at + part.length }
}

function readParagraph(lines: readonly string[], at: number): Read {
  const part = whileTrue(
    lines,
    at,
    (line) => line.trim() !== '' && !line.startsWith(FENCE) && !line.startsWith('|') && itemOf(line) === null,
  )
  return { block: { kind: 'paragraph', text: part.map((line) => line.trim()).join(' ') }, next: at + part.length }
}

function whileTrue(lines: readonly string[], from: number, holds: (line: string) => boolean): readonly string[] {
  const end = lines.findIndex((line, index) => index >= from && !holds(line))
  return lines.slice(from, end < 0 ? lines.length : end)
}
