/** Other versions of Node for tests, as the npm registry has them. */
import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe } from 'vitest'
import { skip } from './describe-with-node.ts'
import { nodesDir, ProgramUnavailableError } from './fetch.ts'

const FETCH_LIMIT_MS = 240_000

/** Use it with `await` at the top of a `*.nodes.test.ts` file. With TANDEM_NODES_REQUIRED a version that cannot be fetched is a failure. */
export async function describeWithNodeVersion(major: number, name: string, suite: (program: string) => void): Promise<void> {
  try {
    const program = await fetchNodeVersion(major)
    describe(name, () => suite(program))
  } catch (error) {
    const reason = `Node ${major} cannot be fetched: ${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}`
    if (process.env.TANDEM_NODES_REQUIRED === '1') throw new ProgramUnavailableError(reason, { cause: error })
    skip(name, reason, () => suite(''))
  }
}

/** The path of the program. */
async function fetchNodeVersion(major: number): Promise<string> {
  const folder = join(nodesDir(), `node-${major}`)
  const program = join(folder, 'package', 'bin', 'node')
  if (
    await access(program).then(
      () => true,
      () => false,
    )
  )
    return program
  await mkdir(nodesDir(), { recursive: true })
  const partial = await mkdtemp(join(nodesDir(), `.partial-node-${major}-`))
  const run = (command: string, ...args: string[]) => promisify(execFile)(command, args, { cwd: partial, timeout: FETCH_LIMIT_MS })
  try {
    await run('npm', 'pack', '--prefer-offline', `node-${process.platform}-${process.arch}@${major}`)
    const [archive = ''] = await readdir(partial)
    await run('tar', '-xzf', archive)
    await rm(join(partial, archive))
    await rename(partial, folder)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
  return program
}
