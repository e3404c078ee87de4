/** `bench/RESULTS.md` has the last result of each benchmark, one section each. */
import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Bench, Table } from './bench.ts'

const PAGE = fileURLToPath(new URL('./RESULTS.md', import.meta.url))
const TITLE =
  '# Last results\n\nWritten by `npm run bench -- <name>`. Each section is of one machine: figures of two sections do not compare.\n'

export async function saveResult(bench: Bench, table: Table): Promise<void> {
  const page = await readPage()
  const section = `## ${bench.name}\n\n${bench.conditions}\nNode ${process.versions.node}, ${process.arch}, ${cpus().length} cores.\n\n${formatMarkdown(table)}\n`
  const sections = page.split(/^(?=## )/m).slice(1)
  const others = sections.filter((text) => !text.startsWith(`## ${bench.name}\n`))
  const all = [...others.map((text) => text.trimEnd()), section.trimEnd()].sort()
  await writeFile(PAGE, `${TITLE}\n${all.join('\n\n')}\n`)
}

async function readPage(): Promise<string> {
  try {
    return await readFile(PAGE, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return TITLE
    throw error
  }
}

export function formatMarkdown({ columns, rows }: Table): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : cell)).join(' | ')} |`
  return [line(columns), line(columns.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}
