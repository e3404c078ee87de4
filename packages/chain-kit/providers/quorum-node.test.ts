/** Tests one node over several providers: a table says by which rule each method is asked. */
import { expect, it } from 'vitest'
import { createProviderPool } from './pool.ts'
import { createQuorumNode } from './quorum-node.ts'
import { equal, failover, movingNumber } from './rules.ts'

interface LedgerNode {
  balance(owner: string, round: 'up' | 'down'): Promise<bigint>
  name(): Promise<string>
  receipt(id: string): Promise<string>
}

const nodes: readonly LedgerNode[] = [41n, 43n].map((amount, i) => ({
  balance: async (owner) => (owner === 'me' ? amount : 0n),
  name: async () => `node ${i}`,
  receipt: async (id) => `${id} ${i}`,
}))

it('asks by the rule of the row', async () => {
  const providers = nodes.map((node, i) => ({ name: `${i}`, node }))
  const pool = createProviderPool(providers, { problemOf: async () => null, onTrouble: () => undefined })
  const node = createQuorumNode<LedgerNode, keyof LedgerNode>(
    { pool, size: 2 },
    {
      balance: (owner, round) => [`the balance of ${owner}`, movingNumber(round)],
      name: () => ['the name', failover()],
      receipt: (id) => [`the receipt of ${id}`, equal()],
    },
  )
  expect(await node.balance('me', 'up')).toBe(43n)
  expect(await node.balance('me', 'down')).toBe(41n)
  expect(await node.balance('you', 'down')).toBe(0n)
  expect(await node.name()).toBe('node 0')
  await expect(node.receipt('x')).rejects.toMatchObject({ message: 'the receipt of x: providers do not agree, 0 against 1; 2 must' })
})
