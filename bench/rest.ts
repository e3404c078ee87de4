/** Measures memory and processor time of the local stack, and of a service and a solver alone, without work. Linux only: it reads /proc. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Bench, Size } from './bench.ts'
import { compiledChild } from './compiled-children.ts'
import { descendants, type Process } from './processes.ts'

const ROOT = join(import.meta.dirname, '..')
const LAUNCHER = join(ROOT, 'bin', 'tandem.js')
/** Caches fill and the first polls end before the measurement. */
const SETTLE_MS = { full: 10_000, smallest: 0 }
const REST_MS = { full: 20_000, smallest: 500 }
const MAX_CORE_PERCENT = 5

type Figures = { readonly processes: number; readonly megabytes: number; readonly corePercent: number }
type Row = Figures & { readonly part: string; readonly maxMegabytes: number | null; readonly maxCorePercent: number | null }
type Running = { readonly pid: number }
/** The command line: its file, and the folder whose `.tandem` it uses. */
type Command = { readonly file: string; readonly folder: string }

/** A part of the stack, to show what `--chains` saves. */
const PART = 'bitcoin,ethereum'

async function measureRest(size: Size, onProgress: (what: string) => void): Promise<readonly Row[]> {
  const command = size === 'full' ? build(onProgress) : compiledCommand()
  // The smallest size starts few chains everywhere, so that one stack is both all of it and the part.
  const all = size === 'full' ? [] : ['--chains', PART]
  const run = <T>(args: readonly string[], sign: string, work: (running: Running) => Promise<T>) => withProcess(command, args, sign, work)
  const isDatabase = ({ name }: Process) => name.includes('postgres')
  const isOurs = (process: Process) => !isDatabase(process)
  const together = ['start', '--port', '0', '--quiet']
  const partRow = async (stack: Running) => row(`local stack, --chains ${PART}, together`, (await measure(stack, size, onProgress))())
  const local = await run([...together, ...all], 'Tandem is running', async (stack) => {
    const rest = await measure(stack, size, onProgress)
    return [
      row('local stack: chains, solver, service', rest(isOurs)),
      row('local stack: PostgreSQL', rest(isDatabase)),
      row('local stack, together', rest(), 400, MAX_CORE_PERCENT),
      ...(size === 'full' ? [] : [await partRow(stack)]),
    ]
  })
  const part = size === 'full' ? [await run([...together, '--chains', PART], 'Tandem is running', partRow)] : []
  const alone = await run(['devnet', '--port', '0', ...all], 'Ctrl-C', () =>
    run(['solver', '--config', '.tandem/solver.json'], 'solver is running', (solver) =>
      run(['start', '--config', '.tandem/service.json'], 'service is running', async (service) => [
        row('service alone', (await measure(service, size, onProgress))(), 150),
        row('solver alone', (await measure(solver, size, onProgress))(), 120),
      ]),
    ),
  )
  return [...local, ...part, ...alone]
}

function row(part: string, figures: Figures, maxMegabytes: number | null = null, maxCorePercent: number | null = null): Row {
  return { part, ...figures, maxMegabytes, maxCorePercent }
}

function build(onProgress: (what: string) => void): Command {
  onProgress('building dist/')
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'build.ts'], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the build failed: ${stderr}`)
  return { file: LAUNCHER, folder: ROOT }
}

/** The build of the benchmarks' children. */
function compiledCommand(): Command {
  const file = fileURLToPath(compiledChild(new URL('../src/cli.ts', import.meta.url)))
  return { file, folder: dirname(dirname(file)) }
}

/** Runs `tandem` until the work is done; the work begins when the command has printed `sign`. */
async function withProcess<T>(
  { file, folder }: Command,
  args: readonly string[],
  sign: string,
  work: (running: Running) => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, [file, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    await untilPrinted(child, sign)
    return await work({ pid: child.pid ?? 0 })
  } finally {
    child.kill('SIGINT')
    if (child.exitCode === null) await once(child, 'exit')
  }
}

function untilPrinted(child: ChildProcess, sign: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output += chunk
        if (output.includes(sign)) resolve()
      })
    child.once('exit', () => reject(new Error(`${child.spawnargs.join(' ')} did not start: ${output}`)))
  })
}

/** Resolves to the figures of all processes below `pid`, or of some of them. */
async function measure({ pid }: Running, size: Size, onProgress: (what: string) => void) {
  onProgress('letting it rest')
  await sleep(SETTLE_MS[size])
  const before = new Map((await descendants(pid)).map((process) => [process.pid, process.cpuMs]))
  const startedAt = performance.now()
  await sleep(REST_MS[size])
  const after = await descendants(pid)
  const elapsedMs = performance.now() - startedAt
  return (isChosen: (process: Process) => boolean = () => true): Figures => {
    const chosen = after.filter(isChosen)
    const sum = (pick: (process: Process) => number) => chosen.reduce((total, process) => total + pick(process), 0)
    return {
      processes: chosen.length,
      megabytes: Math.round(sum(({ kilobytes }) => kilobytes) / 1024),
      corePercent: Number(((sum(({ pid: id, cpuMs }) => cpuMs - (before.get(id) ?? 0)) / elapsedMs) * 100).toFixed(1)),
    }
  }
}

export const restBench: Bench = {
  name: 'rest',
  about: 'memory and processor time of the whole local stack, and of a service and a solver alone, without work',
  conditions: `The build in dist/, PostgreSQL included where said; proportional set size, and user and system time during ${REST_MS.full / 1000} s after ${SETTLE_MS.full / 1000} s to settle. All local chains unless said.`,
  async run({ size, onProgress }) {
    const rows = await measureRest(size, onProgress)
    return {
      ok: rows.every(
        ({ megabytes, maxMegabytes, corePercent, maxCorePercent }) =>
          megabytes <= (maxMegabytes ?? megabytes) && corePercent <= (maxCorePercent ?? corePercent),
      ),
      table: {
        columns: ['part', 'processes', 'MB', 'limit', '% of a core', 'limit'],
        rows: rows.map((row) => [
          row.part,
          row.processes,
          row.megabytes,
          row.maxMegabytes ?? '–',
          row.corePercent,
          row.maxCorePercent ?? '–',
        ]),
      },
    }
  },
}
