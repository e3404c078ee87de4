/** `npm run bench`: lists the benchmarks, or runs one and keeps its result. */
import { parseArgs } from 'node:util'
import { benches } from './benches.ts'
import { formatMarkdown, saveResult } from './results-page.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean', default: false } } })
process.exitCode = await main(positionals[0], values.json)

async function main(name: string | undefined, json: boolean): Promise<number> {
  const bench = benches.find((known) => known.name === name)
  if (bench === undefined) {
    const list = benches.map((known) => `  ${known.name.padEnd(10)}${known.about}`).join('\n')
    process.stdout.write(`npm run bench -- <name> [--json]\n\n${list}\n`)
    if (name === undefined) return 0
    process.stderr.write(`\nthere is no benchmark "${name}"\n`)
    return 1
  }
  const { table, ok } = await bench.run((what) => {
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${what} …` : `${what}\n`)
  })
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  await saveResult(bench, table)
  process.stdout.write(json ? `${JSON.stringify({ bench: bench.name, ok, ...table })}\n` : `${formatMarkdown(table)}\n`)
  if (!ok) process.stderr.write('a limit was missed\n')
  return ok ? 0 : 1
}
