/** These tests show that no node sees the secret of a redeem before the attempt is recorded. They log every request. */

import { createMemoryOutbox, OutboxFailure } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { expect, it } from 'vitest'
import { wordFelts } from '../../contract/client/order.ts'
import { openExecutor } from '../executor.fixture.ts'
import { NodeRefusal, type StarknetNode } from '../nodes/node.ts'
import { readAttempt } from './transaction.ts'

const { local, node, contract, solver, user, executor, executorWith, termsFor, stateOf } = await openExecutor()
const outbox = openedForEach(async () => createMemoryOutbox(solver.key))
let secret: string

async function initiated(over?: Partial<HtlcTerms>): Promise<HtlcTerms> {
  secret = createSecret()
  const terms = termsFor(secret, over)
  await executor.initiate(contract, terms, outbox.open('i'))
  local.chain.mine()
  return terms
}

function listening(): { readonly changes: Partial<StarknetNode>; readonly shown: string[]; asked: number } {
  const heard = { changes: {} as Record<string, unknown>, shown: [] as string[], asked: 0 }
  for (const [name, question] of Object.entries(node)) {
    heard.changes[name] = (...args: readonly unknown[]) => {
      heard.asked += 1
      const text = JSON.stringify(args, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
      if (wordFelts(secret).every((word) => text?.includes(`"${word}"`))) heard.shown.push(name)
      return (question as (...rest: readonly unknown[]) => unknown)(...args)
    }
  }
  return heard as ReturnType<typeof listening>
}

it('is recorded before any node sees its secret', async () => {
  const terms = await initiated()
  const heard = listening()
  const redeem = (fault?: 'lost-lease' | 'dies-after-recording') =>
    executorWith(heard.changes).redeem(contract, terms, secret, outbox.open('r', fault && { fault }))
  await expect(redeem('lost-lease')).rejects.toThrow(OutboxFailure)
  await expect(redeem('dies-after-recording')).rejects.toThrow(OutboxFailure)
  expect(heard.asked).toBeGreaterThan(4)
  expect(heard.shown).toEqual([])
  await redeem()
  expect(heard.shown).toEqual(['broadcast'])
  expect(outbox.attempts('r')).toHaveLength(1)
  local.chain.mine()
  expect(await stateOf(terms)).toBe('redeemed')
})

it('to the sender itself is estimated with its secret, which is public then', async () => {
  const terms = await initiated({ initiator: user.address, redeemer: solver.address })
  const heard = listening()
  await executorWith(heard.changes).redeem(contract, terms, secret, outbox.open('r'))
  expect(heard.shown).toEqual(['estimate', 'broadcast'])
  const [attempt] = outbox.attempts('r').map(readAttempt)
  expect(attempt?.gas.l2Gas).toBeLessThan(12_000_000n)
  local.chain.mine()
  expect(await stateOf(terms)).toBe('redeemed')
})

it.each([
  [
    'the token refuses the payee',
    { estimate: () => Promise.reject(new NodeRefusal(41, 'Transaction execution error', "('ERC20: blocked')")) },
  ],
  ['the HTLC holds too little', { callAmount: async ({ calldata }) => (calldata[0] === contract.address ? 999n : 10n ** 27n) }],
] as readonly (readonly [string, Partial<StarknetNode>])[])(
  'that would fail because %s is neither shown nor recorded',
  async (_, changes) => {
    const terms = await initiated()
    const heard = listening()
    const trying = executorWith({ ...heard.changes, ...changes })
    await expect(trying.redeem(contract, terms, secret, outbox.open('r'))).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/paying 0x\w+ out of the HTLC: (ERC20: blocked|it holds 999 of .*, needs 1000)/),
    })
    expect(heard.shown).toEqual([])
    expect(outbox.attempts('r')).toEqual([])
  },
)

it('with a wrong secret asks no node', async () => {
  const terms = await initiated()
  const heard = listening()
  const wrong = executorWith(heard.changes).redeem(contract, terms, createSecret(), outbox.open('r'))
  await expect(wrong).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('secret') })
  expect(heard.asked).toBe(0)
})
