// Test suites that need a real node or a compiler. If it cannot be fetched, they are skipped with the reason in their name.
import { describe } from 'vitest'
import { fetchProgram, ProgramUnavailableError } from './fetch.ts'
import type { NodeName, ProgramName } from './packages.ts'

/** Use with `await` at the top of a `*.nodes.test.ts` file. With TANDEM_NODES_REQUIRED a missing node is a failure. */
export const describeWithNode = (node: NodeName, name: string, suite: () => void): Promise<void> => describeWithProgram(node, name, suite)

export const describeWithCompiler = (name: string, suite: () => void): Promise<void> => describeWithProgram('clang', name, suite)

const describeWithProgram = async (program: ProgramName, name: string, suite: () => void): Promise<void> => {
  const reason = await whyUnavailable(program)
  if (reason === null) {
    describe(name, suite)
    return
  }
  process.stderr.write(`\nSKIPPED: ${name}: ${reason}\n`)
  describe.skip(`${name} [skipped: ${reason}]`, suite)
}

const whyUnavailable = async (program: ProgramName): Promise<string | null> => {
  const reason = knownReason(program) ?? (await fetchReason(program))
  if (reason !== null && process.env.TANDEM_NODES_REQUIRED === '1') throw new ProgramUnavailableError(reason)
  return reason
}

// The test command fetches once for all files and passes failures on: a JSON object of reasons by program.
const knownReason = (program: ProgramName): string | undefined => {
  const reasons = JSON.parse(process.env.TANDEM_NODES_UNAVAILABLE ?? '{}') as Partial<Record<ProgramName, string>>
  return reasons[program]
}

const fetchReason = async (program: ProgramName): Promise<string | null> => {
  try {
    await fetchProgram(program)
    return null
  } catch (error) {
    if (!(error instanceof ProgramUnavailableError)) throw error
    return error.message
  }
}
