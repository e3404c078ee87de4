/** Tests that the embedded PostgreSQL server ends with its application, however that ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import { canReach, chooseServerUser } from './server-user.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-supervise-'))
  await chmod(folder, 0o755)
  await mkdir(join(folder, 'tmp'))
  await chmod(join(folder, 'tmp'), 0o1777)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

type Application = { readonly process: ChildProcess; readonly serverPid: number; nextLine(): Promise<string> }

// The application has its own process group, like one in a terminal. It prints the process id of its server, and closes cleanly on SIGINT.
const startApplication = async (
  dataDir: string,
  fresh: boolean,
  user: { uid: number; gid: number } | null = null,
): Promise<Application> => {
  const code = `
    import pg from 'pg'
    import { startEmbeddedPostgres } from './packages/local/embedded/embedded-postgres.ts'
    const server = await startEmbeddedPostgres(${JSON.stringify({ dataDir, fresh })})
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    client.on('error', () => console.log('connection lost'))
    process.on('SIGINT', () => setTimeout(async () => {
      console.log('answer', (await client.query('select 1 as one')).rows[0].one)
      await client.end()
      await server.stop()
      process.exit(0)
    }, 300))
    const { rows } = await client.query("select pg_read_file('postmaster.pid') as lock")
    console.log(rows[0].lock.split('\\n')[0])
    setInterval(() => undefined, 1000)
  `
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code], {
    detached: true,
    env: { ...process.env, TMPDIR: join(folder, 'tmp') },
    stdio: ['ignore', 'pipe', 'inherit'],
    ...user,
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => String((await lines.next()).value)
  return { process: child, serverPid: Number(await nextLine()), nextLine }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await sleep(20)
}

const socketFolders = async (): Promise<string[]> => (await readdir(join(folder, 'tmp'))).filter((name) => name.startsWith('tandem-'))

test('when the application is killed, its server, socket and fresh data are removed', async () => {
  const dataDir = join(folder, 'data')
  const application = await startApplication(dataDir, true)
  expect(isRunning(application.serverPid)).toBe(true)
  expect(await socketFolders()).toHaveLength(1)
  application.process.kill('SIGKILL')
  await until(() => !isRunning(application.serverPid))
  await until(async () => (await readdir(dataDir)).length === 0)
  await until(async () => (await socketFolders()).length === 0)
})

test('after the application was killed, the next start waits for the old server and finds the data', async () => {
  const dataDir = join(folder, 'data')
  const application = await startApplication(dataDir, false)
  application.process.kill('SIGKILL')
  const server = await startEmbeddedPostgres({ dataDir })
  // A server removes its lock file a moment before its process ends.
  await until(() => !isRunning(application.serverPid))
  await server.stop()
})

test('Ctrl-C reaches the application but not its server, which stops when the application closes it', async () => {
  const application = await startApplication(join(folder, 'data'), true)
  const { pid } = application.process
  if (pid === undefined) throw new Error('the application did not start')
  process.kill(-pid, 'SIGINT')
  expect(await application.nextLine()).toBe('answer 1')
  await once(application.process, 'exit')
  expect(isRunning(application.serverPid)).toBe(false)
  expect(await socketFolders()).toEqual([])
})

if (process.platform === 'linux') {
  test('a server whose supervisor was killed too is stopped by the next start', async () => {
    const dataDir = join(folder, 'data')
    const application = await startApplication(dataDir, false)
    const supervisors = await shellsAbove(application.serverPid)
    expect(supervisors).toHaveLength(2)
    for (const pid of supervisors) process.kill(pid, 'SIGKILL')
    application.process.kill('SIGKILL')
    await once(application.process, 'exit')
    expect(isRunning(application.serverPid)).toBe(true)
    const server = await startEmbeddedPostgres({ dataDir })
    // The orphan may still be a zombie, which has no command line.
    expect(await readFile(`/proc/${application.serverPid}/cmdline`, 'utf8').catch(() => '')).toBe('')
    await server.stop()
  })
}

// These are the server's parent and the parent's other child, which waits for the application's end.
const shellsAbove = async (serverPid: number): Promise<number[]> => {
  const parentOf = async (pid: number): Promise<number> => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  }
  const supervisor = await parentOf(serverPid)
  const found = [supervisor]
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (pid > 0 && pid !== serverPid && (await parentOf(pid)) === supervisor) found.push(pid)
  }
  return found
}

const other = chooseServerUser(tmpdir())
if (other !== null && (await canReach(other, import.meta.dirname))) {
  test('an ordinary user runs the server as itself', async () => {
    const dataDir = join(folder, 'data')
    await mkdir(dataDir)
    await chown(dataDir, other.uid, other.gid)
    const application = await startApplication(dataDir, true, other)
    expect(isRunning(application.serverPid)).toBe(true)
    application.process.kill('SIGINT')
    expect(await application.nextLine()).toBe('answer 1')
    await once(application.process, 'exit')
    expect(await readdir(dataDir)).toEqual([])
  })
}
