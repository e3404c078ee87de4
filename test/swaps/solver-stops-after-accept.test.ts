/** Tests an order whose solver stops paying before the deposit. */
import { haltCommand } from '@tandem/cli/commands/solver-risk.ts'
import { afterAll, expect, test } from 'vitest'
import { openStory } from './story.ts'

const story = await openStory({ chains: ['ethereum_localnet', 'arbitrum_localnet'], solvers: 2 })
afterAll(() => story.close())

const [from, to] = ['ethereum_localnet:usdc', 'arbitrum_localnet:usdc']

test('a solver takes an order and stops paying before the user funds it: the user has the money back without waiting for the timelock', async () => {
  const before = await story.balance(from)
  const created = await story.order(from, to, 250_000_000n)
  expect((await story.untilStatus(created.order_id, 'created')).solver_id).toBe('cheap-solver')
  const [config] = story.stack.configs.otherSolverFiles
  await haltCommand(undefined, { config, reason: 'out of order' }, { answer: () => undefined, note: () => undefined })

  await story.evm('ethereum_localnet').fund(created)
  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.destination_swap.initiate_tx_hash).toBe('')
  expect(await story.secretSigned(created.order_id)).toBe(false)
  expect(await story.balance(from)).toBe(before)

  // The next order goes to the other solver, and completes.
  await story.eventually('the halted solver to quote no more', async () => {
    const { solver_id } = await story.api.quote({ from, to, from_amount: '250000001' })
    return solver_id === 'local-solver'
  })
  const owned = await story.balance(to)
  const next = await story.order(from, to, 250_000_002n)
  await story.evm('ethereum_localnet').fund(next)
  const done = await story.untilStatus(next.order_id, 'counterparty_redeemed')
  expect(done.solver_id).toBe('local-solver')
  expect(await story.balance(to)).toBe(owned + BigInt(done.destination_swap.amount))
})
