// `npm test` runs every check and every test. With `--quick` it runs type check, lint and import rules only, with `--nodes` the tests with
// real nodes only. Other arguments go to vitest alone.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fetchPackages } from './nodes/fetch.ts'
import { ALL_PACKAGES, type PackagesName } from './nodes/packages.ts'
import { slowestFiles, type Tally, tallyReport, type VitestReport } from './vitest-report.ts'

const repositoryDir = join(import.meta.dirname, '..')
const program = (name: string): string => join(repositoryDir, 'node_modules', '.bin', name)

/** TypeScript 7 checks several times faster. Version 6 stays installed for the tools that need its JavaScript API, which 7 lacks. */
const typeCheck = join(repositoryDir, 'node_modules', 'typescript-7', 'bin', 'tsc')

const QUICK_CHECKS = [
  { name: 'type check', command: [process.execPath, typeCheck] },
  { name: 'type check of the pages', command: [process.execPath, typeCheck, '-p', 'tsconfig.web.json'] },
  { name: 'lint and format', command: [program('biome'), 'check', '--colors=off', '.'] },
  { name: 'import rules', command: [program('tsx'), 'test/import-rules.ts'] },
] as const

const SLOW_CHECKS = [
  { name: 'unused files, exports, dependencies', command: [program('knip')] },
  { name: 'contract artefacts are fresh', command: [program('tsx'), 'packages/families/evm/contract/build.ts', '--check'] },
  { name: 'generated documents are fresh', command: [program('tsx'), 'docs/generate.ts', '--check'] },
] as const

/** Tests start many processes of the command line. Compiled ones need a fifth of the processor time. */
const BUILD = join(repositoryDir, '.tandem', `build-for-tests-${process.pid}`)
const COMPILE = { name: 'compile the command line', command: [program('tsx'), 'build.ts', relative(repositoryDir, BUILD)] } as const

const SLOWEST = 10

const PASSED: Tally = { passed: 1, failed: 0, skipped: [] }
const FAILED: Tally = { passed: 0, failed: 1, skipped: [] }

const print = (text: string): void => void process.stdout.write(text)

// The name is printed first and the mark when the step is done, so that one sees which step is running.
const step = async (name: string, work: () => Promise<Outcome>): Promise<Tally> => {
  print(`  ${name} ${'.'.repeat(40 - name.length)} `)
  const startedAt = Date.now()
  const { tally, details } = await work()
  const mark = tally.failed > 0 ? '✗' : tally.skipped.length > 0 ? '↓' : '✓'
  print(`${mark} ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
  if (details !== '') print(`${details.trimEnd().replaceAll(/^/gm, '      ')}\n`)
  return tally
}

type Check = (typeof QUICK_CHECKS | typeof SLOW_CHECKS)[number] | typeof COMPILE
type Outcome = { readonly tally: Tally; readonly details: string }

const startCheck = async ({ command: [file, ...args] }: Check): Promise<Outcome> => {
  const child = spawn(file, args, { cwd: repositoryDir, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const exitCode = await ended(child)
  return exitCode === 0 ? { tally: PASSED, details: '' } : { tally: FAILED, details: output || `ended with ${exitCode}` }
}

/** All checks run at once, and their results are printed in order. */
const runChecks = async (checks: readonly Check[]): Promise<Tally[]> => {
  const started = checks.map((check) => ({ name: check.name, outcome: startCheck(check) }))
  const tallies: Tally[] = []
  for (const { name, outcome } of started) tallies.push(await step(name, () => outcome))
  return tallies
}

const ended = (child: ReturnType<typeof spawn>): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })

type Fetch = { readonly name: PackagesName; readonly outcome: Promise<Outcome> }

/** Nodes and compilers are fetched before the tests, so that a timeout is paid once. Reasons of failures go to `unavailable`. */
const startFetches = (required: boolean, unavailable: Map<PackagesName, string>): readonly Fetch[] => {
  let last: Promise<unknown> = Promise.resolve()
  return (Object.keys(ALL_PACKAGES) as PackagesName[]).map((name) => {
    const outcome = last.then(() => fetchOne(name, required, unavailable))
    last = outcome
    return { name, outcome }
  })
}

const fetchOne = async (name: PackagesName, required: boolean, unavailable: Map<PackagesName, string>): Promise<Outcome> => {
  try {
    await fetchPackages(name)
    return { tally: PASSED, details: '' }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    unavailable.set(name, reason)
    const tally: Tally = required ? FAILED : { passed: 0, failed: 0, skipped: [`${name}: ${reason}`] }
    return { tally, details: required ? reason : `SKIPPED with every test that needs it: ${reason}` }
  }
}

const runVitest = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Tally> => {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-report-'))
  try {
    const reportPath = join(folder, 'report.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`]
    const child = spawn(program('vitest'), ['run', ...reporters, ...args], {
      cwd: repositoryDir,
      stdio: 'inherit',
      env: { ...process.env, ...env, ...(existsSync(BUILD) && { TANDEM_BUILD: BUILD }) },
    })
    const exitCode = await ended(child)
    const report = await readReport(reportPath)
    // A run of a few files shows their times anyway.
    if (report !== null && args.length === 0) print(`slowest files:\n${slowestFiles(report, repositoryDir, SLOWEST).join('\n')}\n`)
    return tallyReport(report, exitCode)
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(BUILD, { recursive: true, force: true })
  }
}

const readReport = (path: string): Promise<VitestReport | null> =>
  readFile(path, 'utf8').then(
    (text) => JSON.parse(text) as VitestReport,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    },
  )

/** `filter` are arguments for vitest. `checks` run first, while the nodes are fetched. With `nodesRequired` a missing node is a failure. */
const runWithNodes = async (filter: readonly string[], checks: readonly Check[], nodesRequired: boolean): Promise<Tally[]> => {
  const unavailable = new Map<PackagesName, string>()
  const fetches = startFetches(nodesRequired, unavailable)
  const tallies = await runChecks(checks)
  for (const { name, outcome } of fetches) tallies.push(await step(`fetch ${name}`, () => outcome))
  return [...tallies, ...(await runTests(filter, unavailable, nodesRequired))]
}

const runTests = async (
  filter: readonly string[],
  unavailable: ReadonlyMap<PackagesName, string>,
  nodesRequired: boolean,
): Promise<Tally[]> => {
  const tests = await runVitest(filter, {
    ...(nodesRequired ? { TANDEM_NODES_REQUIRED: '1' } : {}),
    ...(unavailable.size > 0 ? { TANDEM_NODES_UNAVAILABLE: JSON.stringify(Object.fromEntries(unavailable)) } : {}),
  })
  return [tests]
}

const runAll = async (args: readonly string[]): Promise<Tally[]> => {
  if (args.includes('--quick')) return runChecks(QUICK_CHECKS)
  if (args.length === 0) return runWithNodes([], [...QUICK_CHECKS, ...SLOW_CHECKS, COMPILE], false)
  const filter = args.filter((arg) => arg !== '--nodes')
  if (filter.length === args.length) return runTests(filter, new Map(), false)
  return runWithNodes(filter.length === 0 ? ['.nodes.test.ts'] : filter, [], true)
}

const main = async (): Promise<void> => {
  const tallies = await runAll(process.argv.slice(2))
  const skipped = tallies.flatMap((tally) => tally.skipped)
  const sum = (pick: (tally: Tally) => number): number => tallies.reduce((total, tally) => total + pick(tally), 0)
  for (const line of skipped) print(`skipped: ${line}\n`)
  print(`${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed)} failed, ${skipped.length} skipped\n`)
  process.exitCode = sum(({ failed }) => failed) > 0 ? 1 : 0
}

// Ctrl-C reaches the running child too. This process waits for it, so that it cleans up and its results are counted.
process.on('SIGINT', () => print('\nstopping …\n'))
await main()
