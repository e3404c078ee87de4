/** `npm run bench` lists the benchmarks, or runs one and keeps its result. `--smallest` only shows that it still works. */
import { parseArgs } from 'node:util'
import { benches } from './benches.ts'
import { formatMarkdown, saveResult } from './results-page.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, smallest: { type: 'boolean', default: false } },
})
process.exitCode = await main(positionals[0], values)

async function main(name: string | undefined, { json, smallest }: { readonly json: boolean; readonly smallest: boolean }): Promise<number> {
  const bench = benches.find((known) => known.name === name)
  if (bench === undefined) {
    const list = benches.map((known) => `  ${known.name.padEnd(10)}${known.about}`).join('\n')
    process.stdout.write(`npm run bench -- <name> [--json] [--smallest]\n\n${list}\n`)
    if (name === undefined) return 0
    process.stderr.write(`\nthere is no benchmark "${name}"\n`)
    return 1
  }
  const onProgress = (what: string) => void process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${what} …` : `${what}\n`)
  const { table, ok } = await bench.run({ size: smallest ? 'smallest' : 'full', onProgress })
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  if (!smallest) await saveResult(bench, table)
  process.stdout.write(json ? `${JSON.stringify({ bench: bench.name, ok, ...table })}\n` : `${formatMarkdown(table)}\n`)
  if (smallest) return 0
  if (!ok) process.stderr.write('a limit was missed\n')
  return ok ? 0 : 1
}
