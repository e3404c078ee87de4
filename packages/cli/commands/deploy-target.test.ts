// Which nodes a deployment uses when none are named.
import { expect, test } from 'vitest'
import { findTarget } from './deploy-target.ts'

test.each([
  ['base', 2],
  ['citrea', 1],
])('public nodes of %s must agree where there are several', async (chain, quorum) => {
  const { nodes } = await findTarget({ chain })
  expect(nodes.quorum).toBe(quorum)
  expect(nodes.endpoints.rpc?.length).toBeGreaterThanOrEqual(quorum)
})

test('a node that the operator names is trusted alone', async () => {
  expect((await findTarget({ chain: 'base', rpc: ['http://127.0.0.1:1'] })).nodes).toEqual({ endpoints: { rpc: ['http://127.0.0.1:1'] } })
})
