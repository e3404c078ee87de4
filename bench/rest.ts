/** Measures start, memory and processor time of the local stack, and of a service and a solver alone, without work. Linux only: it reads /proc. */
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
const MAX_START_SECONDS = 15

type Figures = { readonly processes: number; readonly megabytes: number; readonly corePercent: number }
type Limits = { readonly megabytes?: number; readonly corePercent?: number; readonly startSeconds?: number }
/** `startSeconds` null: a part of a command. */
type Row = Figures & { readonly part: string; readonly startSeconds: number | null; readonly limits: Limits }
type Running = { readonly pid: number; readonly startSeconds: number }
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
  const partRow = async (stack: Running) =>
    row(`local stack, --chains ${PART}, together`, stack, (await measure(stack, size, onProgress))())
  const local = await run([...together, ...all], 'Tandem is running', async (stack) => {
    const rest = await measure(stack, size, onProgress)
    return [
      row('local stack: chains, solver, service', null, rest(isOurs)),
      row('local stack: PostgreSQL', null, rest(isDatabase)),
      row('local stack, together', stack, rest(), { megabytes: 400, corePercent: MAX_CORE_PERCENT, startSeconds: MAX_START_SECONDS }),
      ...(size === 'full' ? [] : [await partRow(stack)]),
    ]
  })
  const part = size === 'full' ? [await run([...together, '--chains', PART], 'Tandem is running', partRow)] : []
  const alone = await run(['devnet', '--port', '0', ...all], 'Ctrl-C', () =>
    run(['solver', '--config', '.tandem/solver.json'], 'solver is running', (solver) =>
      run(['start', '--config', '.tandem/service.json'], 'service is running', async (service) => [
        row('service alone', service, (await measure(service, size, onProgress))(), { megabytes: 150 }),
        row('solver alone', solver, (await measure(solver, size, onProgress))(), { megabytes: 120 }),
      ]),
    ),
  )
  return [...local, ...part, ...alone]
}

function row(part: string, running: Running | null, figures: Figures, limits: Limits = {}): Row {
  return { part, ...figures, startSeconds: running?.startSeconds ?? null, limits }
}

function isWithin({ limits, megabytes, corePercent, startSeconds }: Row): boolean {
  const { megabytes: maxMegabytes = megabytes, corePercent: maxCorePercent = corePercent, startSeconds: maxStart } = limits
  return megabytes <= maxMegabytes && corePercent <= maxCorePercent && (maxStart === undefined || (startSeconds ?? 0) <= maxStart)
}

function build(onProgress: (what: string) => void): Command {
  onProgress('building dist/')
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'build.ts'], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the build failed: ${stderr}`)
  return { file: LAUNCHER, folder: ROOT }
}

/** The build of the benchmarks' children. */
function compiledCommand(): Command {
  const file = fileURLToPath(compiledChild(new URL('../packages/cli/cli.ts', import.meta.url)))
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
  const startedAt = performance.now()
  try {
    await untilPrinted(child, sign)
    return await work({ pid: child.pid ?? 0, startSeconds: Number(((performance.now() - startedAt) / 1000).toFixed(1)) })
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
  about: 'start, memory and processor time of the whole local stack, and of a service and a solver alone, without work',
  conditions: `The build in dist/, PostgreSQL included where said; proportional set size, and user and system time during ${REST_MS.full / 1000} s after ${SETTLE_MS.full / 1000} s to settle. All local chains unless said. Start: from the command to the line that says it runs; with a database of an earlier run, if there is one.`,
  async run({ size, onProgress }) {
    const rows = await measureRest(size, onProgress)
    return {
      ok: rows.every(isWithin),
      table: {
        columns: ['part', 'processes', 's to start', 'limit', 'MB', 'limit', '% of a core', 'limit'],
        rows: rows.map((row) => [
          row.part,
          row.processes,
          row.startSeconds ?? '–',
          row.limits.startSeconds ?? '–',
          row.megabytes,
          row.limits.megabytes ?? '–',
          row.corePercent,
          row.limits.corePercent ?? '–',
        ]),
      },
    }
  },
}
