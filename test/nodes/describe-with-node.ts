// Test suites that need a real node. If it cannot be fetched, they are skipped with the reason in their name.
import { describe } from 'vitest'
import { fetchNode, NodeUnavailableError } from './fetch.ts'
import type { NodeName } from './packages.ts'

/** Use with `await` at the top of a `*.nodes.test.ts` file. With TANDEM_NODES_REQUIRED a missing node is a failure. */
export const describeWithNode = async (node: NodeName, name: string, suite: () => void): Promise<void> => {
  const reason = await whyUnavailable(node)
  if (reason === null) {
    describe(name, suite)
    return
  }
  process.stderr.write(`\nSKIPPED: ${name}: ${reason}\n`)
  describe.skip(`${name} [skipped: ${reason}]`, suite)
}

const whyUnavailable = async (node: NodeName): Promise<string | null> => {
  const reason = knownReason(node) ?? (await fetchReason(node))
  if (reason !== null && process.env.TANDEM_NODES_REQUIRED === '1') throw new NodeUnavailableError(reason)
  return reason
}

// The test command fetches once for all files and passes failures on: a JSON object of reasons by node.
const knownReason = (node: NodeName): string | undefined => {
  const reasons = JSON.parse(process.env.TANDEM_NODES_UNAVAILABLE ?? '{}') as Partial<Record<NodeName, string>>
  return reasons[node]
}

const fetchReason = async (node: NodeName): Promise<string | null> => {
  try {
    await fetchNode(node)
    return null
  } catch (error) {
    if (!(error instanceof NodeUnavailableError)) throw error
    return error.message
  }
}
