// Test suites that need a real node: they run where it can be had and are skipped, with the reason in their name, where not.
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
  const known = process.env.TANDEM_NODES_UNAVAILABLE
  if (known !== undefined && known !== '') return known
  try {
    await fetchNode(node)
    return null
  } catch (error) {
    if (!(error instanceof NodeUnavailableError) || process.env.TANDEM_NODES_REQUIRED === '1') throw error
    return error.message
  }
}
