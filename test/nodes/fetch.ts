// Fetches real nodes and compilers as Debian packages into a private folder: no root, no change of the machine's packages or apt sources.
import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ALL_PACKAGES, type PackagesName, PROGRAM_PACKAGES, type ProgramName, programFolderName } from './packages.ts'

/** The command line prefix is the program's own dynamic loader, its libraries, and its binary. */
export type ProgramCommand = readonly [program: string, ...args: string[]]

export class ProgramUnavailableError extends Error {
  override readonly name = 'ProgramUnavailableError'
}

const FETCH_LIMIT_MS = 240_000
const LOCK_POLL_MS = 200
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

const repositoryDir = join(import.meta.dirname, '../..')

export const nodesDir = (): string => process.env.TANDEM_NODES_DIR ?? join(repositoryDir, '.tandem', 'nodes')

/** The program is fetched once. Throws ProgramUnavailableError with the reason. */
export const fetchProgram = async (name: ProgramName, limitMs: number = FETCH_LIMIT_MS): Promise<ProgramCommand> => {
  const folder = await fetchPackages(name, limitMs)
  return orUnavailable(name, () => programCommand(folder, name))
}

/** The packages are fetched once. Throws ProgramUnavailableError with the reason. */
export const fetchPackages = async (name: PackagesName, limitMs: number = FETCH_LIMIT_MS): Promise<string> => {
  const folder = join(nodesDir(), programFolderName(name))
  await orUnavailable(name, async () => {
    if (!(await exists(folder))) await fetchInto(folder, name, AbortSignal.timeout(limitMs))
  })
  return folder
}

const orUnavailable = async <T>(name: PackagesName, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw new ProgramUnavailableError(`${name} cannot be fetched: ${explain(error)}`, { cause: error })
  }
}

const fetchInto = async (folder: string, name: PackagesName, signal: AbortSignal): Promise<void> => {
  if (process.platform !== 'linux') throw new Error('it comes as Debian packages, which run on Linux only')
  await mkdir(nodesDir(), { recursive: true })
  await holdingLock(`${folder}.lock`, signal, async () => {
    if (await exists(folder)) return
    await removeAbandoned(name)
    const partial = await mkdtemp(join(nodesDir(), `.partial-${name}-`))
    try {
      await unpackPackages(partial, name, signal)
      await rename(join(partial, 'root'), folder)
    } finally {
      await rm(partial, { recursive: true, force: true })
    }
  })
}

// The lock only avoids double work. Safety does not depend on it: a folder gets its final name only when complete.
const holdingLock = async (lock: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> => {
  while (!(await tryLock(lock))) await sleep(LOCK_POLL_MS, undefined, { signal })
  try {
    await work()
  } finally {
    await rm(lock, { force: true })
  }
}

const tryLock = async (lock: string): Promise<boolean> => {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const holder = Number(await readFile(lock, 'utf8').catch(() => '0'))
  if (holder > 0 && !isRunning(holder)) await rm(lock, { force: true })
  return false
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const removeAbandoned = async (name: PackagesName): Promise<void> => {
  for (const entry of await readdir(nodesDir())) {
    if (entry.startsWith(`.partial-${name}-`)) await rm(join(nodesDir(), entry), { recursive: true, force: true })
  }
}

const unpackPackages = async (dir: string, name: PackagesName, signal: AbortSignal): Promise<void> => {
  const { packages, releases } = ALL_PACKAGES[name]
  const architecture = (await run('dpkg', ['--print-architecture'], signal)).trim()
  const mirror = await readMirror(signal)
  const archives = join(dir, 'apt', 'cache', 'archives')
  for (const folder of [join(archives, 'partial'), join(dir, 'apt', 'lists', 'partial'), join(dir, 'root')]) {
    await mkdir(folder, { recursive: true })
  }
  const sources = join(dir, 'apt', 'sources.list')
  const lines = releases.map((release) => `deb [signed-by=${KEYRING} arch=${architecture}] ${mirror} ${release} main\n`)
  await writeFile(sources, lines.join(''))
  const options = aptOptions(join(dir, 'apt'), sources, architecture)
  await run('apt-get', [...options, 'update'], signal)
  await run('apt-get', [...options, 'download', ...packages], signal, archives)
  for (const file of (await readdir(archives)).filter((entry) => entry.endsWith('.deb'))) {
    await run('dpkg-deb', ['-x', join(archives, file), join(dir, 'root')], signal)
  }
}

/** This machine's apt already uses the mirror. */
const readMirror = async (signal: AbortSignal): Promise<string> => {
  const sites = await run('apt-get', ['indextargets', '--format', '$(SITE)', 'Created-By: Packages'], signal)
  const mirror = sites.split('\n').find((site) => site !== '' && !site.includes('security'))
  if (mirror === undefined) throw new Error('apt has no package mirror configured')
  return mirror
}

const aptOptions = (aptDir: string, sources: string, architecture: string): string[] =>
  [
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::lists=${join(aptDir, 'lists')}`,
    'Dir::State::status=/dev/null',
    `Dir::Cache=${join(aptDir, 'cache')}`,
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    // apt's own download user could not write into the folder.
    'APT::Sandbox::User=root',
    // Without this setting an unreachable mirror is only a warning.
    'APT::Update::Error-Mode=any',
    'Acquire::Languages=none',
    'Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false',
    'Acquire::Retries=2',
    'Acquire::http::Timeout=20',
  ].flatMap((option) => ['-o', option])

const run = async (program: string, args: readonly string[], signal: AbortSignal, cwd = '/'): Promise<string> => {
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' }
  const { stdout } = await promisify(execFile)(program, args, { signal, cwd, env, maxBuffer: 1 << 26 })
  return stdout
}

const programCommand = async (folder: string, name: ProgramName): Promise<ProgramCommand> => {
  for (const triplet of await readdir(join(folder, 'usr', 'lib'))) {
    if (!triplet.endsWith('-linux-gnu')) continue
    const libraries = join(folder, 'usr', 'lib', triplet)
    const loader = (await readdir(libraries)).find((file) => /^ld-linux.*\.so\.\d+$/.test(file))
    if (loader !== undefined) return [join(libraries, loader), '--library-path', libraries, join(folder, PROGRAM_PACKAGES[name].binary)]
  }
  throw new Error(`${folder} holds no dynamic loader; remove the folder`)
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

// Mirror addresses may be private, so they are not printed.
const explain = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { code, path, stderr } = error as NodeJS.ErrnoException & { stderr?: string }
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'it took too long'
  if (code === 'ENOENT' && (path === 'apt-get' || path === 'dpkg' || path === 'dpkg-deb')) return `${path} is not installed`
  const complaint = (stderr ?? '').split('\n').find((line) => line.startsWith('E: ') || line.startsWith('dpkg'))
  return (complaint ?? error.message).replaceAll(/https?:\/\/[^\s']+/g, 'the package mirror')
}
