// Some test suites need a real node, a compiler or a library. If it cannot be fetched, they are skipped with the reason in their name.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe } from 'vitest'
import { installedChromium } from '../browser/installed-chromium.ts'
import { fetchPackages, ProgramUnavailableError } from './fetch.ts'
import type { NodeName, PackagesName } from './packages.ts'

/** A `*.nodes.test.ts` file calls this with `await` at its top. With TANDEM_NODES_REQUIRED a missing node is a failure. */
export const describeWithNode = (node: NodeName, name: string, suite: () => void): Promise<void> => describeWithProgram(node, name, suite)

/** The program is the Python of the machine, with the library of these packages. */
export const describeWithPython = async (library: PackagesName, name: string, suite: () => void): Promise<void> => {
  const version = await promisify(execFile)('python3', ['--version']).then(() => null, isMissing)
  if (version === null) await describeWithProgram(library, name, suite)
  else skip(name, version, suite)
}

const isMissing = (error: NodeJS.ErrnoException): string => {
  if (error.code === 'ENOENT') return 'python3 is not installed'
  throw error
}

export const describeWithCompiler = (name: string, suite: () => void): Promise<void> => describeWithProgram('clang', name, suite)

/** Chromium and its fonts come from these packages. One on the PATH, with the machine's fonts, serves only where they cannot be fetched. */
export const describeWithBrowser = async (name: string, suite: () => void): Promise<void> => {
  if ((await reasonWithout('chromium')) === null || (await installedChromium()) === null) await describeWithProgram('chromium', name, suite)
  else describe(name, suite)
}

const describeWithProgram = async (program: PackagesName, name: string, suite: () => void): Promise<void> => {
  const reason = await whyUnavailable(program)
  if (reason === null) {
    describe(name, suite)
    return
  }
  skip(name, reason, suite)
}

export const skip = (name: string, reason: string, suite: () => void): void => {
  process.stderr.write(`\nSKIPPED: ${name}: ${reason}\n`)
  describe.skip(`${name} [skipped: ${reason}]`, suite)
}

const whyUnavailable = async (program: PackagesName): Promise<string | null> => {
  const reason = await reasonWithout(program)
  if (reason !== null && process.env.TANDEM_NODES_REQUIRED === '1') throw new ProgramUnavailableError(reason)
  return reason
}

/** Resolves to the reason why a program cannot be fetched, or to null if it is there. */
export const reasonWithout = async (program: PackagesName): Promise<string | null> => knownReason(program) ?? (await fetchReason(program))

// The test command fetches once for all files and passes failures on as a JSON object of reasons by program.
const knownReason = (program: PackagesName): string | undefined => {
  const reasons = JSON.parse(process.env.TANDEM_NODES_UNAVAILABLE ?? '{}') as Partial<Record<PackagesName, string>>
  return reasons[program]
}

const fetchReason = async (program: PackagesName): Promise<string | null> => {
  try {
    await fetchPackages(program)
    return null
  } catch (error) {
    if (!(error instanceof ProgramUnavailableError)) throw error
    return error.message
  }
}
