/** Tests how service and solver agree on a fill. */
import type { SolverFillRequest } from '@tandem/protocol/wire/solver.ts'
import { describe, expect, test } from 'vitest'
import { createDepositQuestions } from '../instant-refund/ask-about-deposits.ts'
import { answerWith, fillOf, useSyncFixture } from '../solver-sync/sync-tasks.fixture.ts'
import { fillSignature } from '../testing/fake-chain.fixture.ts'
import type { Answer } from '../testing/fake-solver.fixture.ts'
import { fillTasks } from './agree-on-fill.ts'

const sync = useSyncFixture()

describe('the fill agreement', () => {
  test('is proposed once the deposits are confirmed, recorded before the solver sees it, and stored with its signature', async () => {
    expect(await sync.run(fillTasks)).toEqual([])
    await sync.mine(sync.deposit('a', 980_000n))
    const before: unknown[] = []
    const { onFill } = sync.service.solver
    let reading = Promise.resolve()
    sync.service.solver.onFill = (id, request) => {
      reading = sync.find(id).then(({ fill, order: { destination } }) => void before.push(fill?.signature, destination.terms.amount))
      return onFill(id, request)
    }
    expect(await sync.run(fillTasks)).toEqual(['done'])
    await reading
    expect(sync.filled).toEqual([{ deposits: ['a'], block_hash: `bitcoin_regtest-${sync.height}`, destination_amount: '970200' }])
    const { fill, order: now } = await sync.find(sync.order.id)
    expect(fill).toMatchObject({ deposits: ['a'], destinationAmount: 970_200n, signature: expect.stringMatching(/^[0-9a-f]{128}$/) })
    expect(now.destination).toMatchObject({ agreedAmount: 990_000n, terms: { amount: 970_200n } })
    expect(now.destination.swapId).toBe(sync.service.chains.get('ethereum_localnet')?.swapId(now.destination.terms))
    expect(before[1]).toBe(970_200n)
    expect((await sync.state()).isAgreed).toBe(true)
    expect(await sync.run(fillTasks)).toEqual([])
    expect(sync.woken).toBe(1)
  })

  test('is named as it was signed when the solver is asked about its payment, also after a reorg of the deposits', async () => {
    await sync.mine(sync.deposit('a', 500_000n))
    await sync.mine(sync.deposit('b', 500_000n))
    await sync.run(fillTasks)
    expect((await sync.find(sync.order.id)).fill?.deposits).toEqual(['a', 'b'])
    const last = { block_height: sync.height, block_hash: `bitcoin_regtest-${sync.height}` }
    await sync.service.db.updateTable('events').set(last).where('deposit', '=', 'a').execute()
    await sync.service.db.updateTable('events').set({ tx: '0' }).where('deposit', '=', 'b').execute()
    expect((await sync.state()).source.counted.map(({ id }) => id)).toEqual(['b', 'a'])
    await sync.run((context, states) => createDepositQuestions(context)(states))
    expect(sync.filled.map(({ deposits }) => deposits)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
  })

  test('proposes the same deposits again while the solver waits', async () => {
    const asked: string[][] = []
    await sync.mine(sync.deposit('a', 1_000_000n))
    sync.service.solver.onFill = (_id, request) => {
      asked.push(request.deposits)
      return answerWith({ answer: 'wait', signature: null, reason: 'not yet' })
    }
    expect(await sync.run(fillTasks)).toEqual(['soon'])
    await sync.mine(sync.deposit('b', 1_000_000n))
    expect(await sync.run(fillTasks)).toEqual(['soon'])
    expect(asked).toEqual([['a'], ['a']])
    expect((await sync.state()).isAgreed).toBe(false)
  })

  test.each<[string, (request: SolverFillRequest) => Answer]>([
    ['for another amount', (request) => signedFor({ ...request, destination_amount: '1' })],
    ['for other deposits', (request) => signedFor({ ...request, deposits: ['other'] })],
    ['nothing', () => answerWith({ answer: 'signed', signature: null, reason: null })],
    ['nonsense', () => answerWith({ answer: 'signed', signature: '0'.repeat(128), reason: null })],
  ])('is not reached when the solver signs %s', async (_, answer) => {
    await sync.mine(sync.deposit('a', 1_000_000n))
    sync.service.solver.onFill = (_id, request) => answer(request)
    await expect(sync.run(fillTasks)).rejects.toThrow('wrong signature for this fill')
    expect((await sync.find(sync.order.id)).fill?.signature).toBeNull()
    expect((await sync.state()).isAgreed).toBe(false)
  })
  const signedFor = (request: SolverFillRequest) =>
    answerWith({ answer: 'signed', signature: fillSignature(sync.order.source.terms, sync.order.id, fillOf(request)), reason: null })

  test('ends when the solver declines: the order awaits its refund, and the service does not ask again', async () => {
    await sync.mine(sync.deposit('a', 1_000_000n))
    sync.service.solver.onFill = () => answerWith({ answer: 'declined', signature: null, reason: 'the price has moved' })
    await sync.run(fillTasks)
    expect(await sync.find(sync.order.id)).toMatchObject({ declined: 'the solver declined: the price has moved' })
    expect((await sync.state()).status).toBe('awaiting_refund')
    expect(await sync.run(fillTasks)).toEqual([])
  })

  test('ends also with a reason that the database cannot store, or that is too long to show', async () => {
    await sync.mine(sync.deposit('a', 1_000_000n))
    const reason = `no\0money\n${'x'.repeat(10_000)}`
    sync.service.solver.onFill = () => answerWith({ answer: 'declined', signature: null, reason })
    await sync.run(fillTasks)
    expect((await sync.find(sync.order.id)).declined).toMatch(/^the solver declined: no money x{291}$/)
  })

  test('replaces a stale proposal: unsigned, and one of its deposits is gone', async () => {
    await sync.mine(sync.deposit('a', 1_000_000n))
    sync.service.solver.onFill = () => answerWith({ answer: 'wait', signature: null, reason: 'not yet' })
    await sync.run(fillTasks)
    await sync.service.db.deleteFrom('events').where('deposit', '=', 'a').execute()
    await sync.mine(sync.deposit('b', 1_000_000n))
    await sync.run(fillTasks)
    expect((await sync.find(sync.order.id)).fill).toBeNull()
    await sync.run(fillTasks)
    expect((await sync.find(sync.order.id)).fill?.deposits).toEqual(['b'])
  })
})
