/** Measures the memory of the idle local stack. Linux only: it reads proportional set sizes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Bench, Size } from './bench.ts'

const REST_MS = { full: 20_000, smallest: 1_000 }

type MemoryRow = { readonly part: string; readonly processes: number; readonly megabytes: number }

/** A part of the stack, to show what `--chains` saves. */
const PART = 'bitcoin,ethereum'

async function measureMemory(size: Size, onProgress: (what: string) => void): Promise<MemoryRow[]> {
  const all = await measureStack([], REST_MS[size], onProgress)
  const part = await measureStack(['--chains', PART], REST_MS[size], onProgress)
  const isDatabase = ({ name }: ProcessMemory) => name.includes('postgres')
  return [
    sumOf(
      'tandem (chains, solver, service)',
      all.filter((process) => !isDatabase(process)),
    ),
    sumOf('PostgreSQL', all.filter(isDatabase)),
    sumOf('together', all),
    sumOf(`together, --chains ${PART}`, part),
  ]
}

function sumOf(part: string, chosen: readonly ProcessMemory[]): MemoryRow {
  const kilobytes = chosen.reduce((total, process) => total + process.kilobytes, 0)
  return { part, processes: chosen.length, megabytes: Math.round(kilobytes / 1024) }
}

async function measureStack(
  options: readonly string[],
  restMs: number,
  onProgress: (what: string) => void,
): Promise<readonly ProcessMemory[]> {
  const launcher = fileURLToPath(new URL('../bin/tandem.js', import.meta.url))
  const command = [launcher, 'start', '--port', '0', '--quiet', ...options]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    onProgress(`starting the stack ${options.join(' ')}`)
    await new Promise<void>((resolve, reject) => {
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
        if (output.includes('Tandem is running')) resolve()
      })
      child.once('exit', () => reject(new Error(`the stack did not start: ${output}`)))
    })
    onProgress('letting it rest')
    await sleep(restMs)
    return await descendants(child.pid ?? 0)
  } finally {
    child.kill('SIGINT')
    if (child.exitCode === null) await once(child, 'exit')
  }
}

type ProcessMemory = { readonly name: string; readonly kilobytes: number }

/** The process and everything below it. */
async function descendants(root: number): Promise<readonly ProcessMemory[]> {
  const parents = new Map<number, number>()
  for (const entry of await readdir('/proc')) {
    if (!/^[0-9]+$/.test(entry)) continue
    const parent = /^PPid:\s+(\d+)$/m.exec(await readProcess(entry, 'status'))?.[1]
    if (parent !== undefined) parents.set(Number(entry), Number(parent))
  }
  const found = new Set([root])
  for (let before = 0; before !== found.size; ) {
    before = found.size
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid)
  }
  const memory: ProcessMemory[] = []
  for (const pid of found) {
    const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(await readProcess(String(pid), 'smaps_rollup'))?.[1]
    if (kilobytes !== undefined)
      memory.push({ name: (await readProcess(String(pid), 'cmdline')).split('\0')[0] ?? '', kilobytes: Number(kilobytes) })
  }
  return memory
}

/** Empty when the process has just ended. */
async function readProcess(pid: string, file: string): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/${file}`, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return ''
    throw error
  }
}

export const memoryBench: Bench = {
  name: 'memory',
  about: 'memory of the whole local stack at rest',
  conditions:
    '`tandem start` as one process plus PostgreSQL; proportional set size after 20 s without work; all local chains unless said, solver and service included.',
  async run({ size, onProgress }) {
    const rows = await measureMemory(size, onProgress)
    return {
      ok: true,
      table: { columns: ['part', 'processes', 'MB'], rows: rows.map((row) => [row.part, row.processes, row.megabytes]) },
    }
  },
}
