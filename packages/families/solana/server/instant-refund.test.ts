/** These tests show what a consent to an instant refund counts for, on a real SVM. */

import type { InstantRefundAbility } from '@tandem/chain-kit/port/abilities/instant-refund.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAddress } from '../terms/address.ts'
import { swapIdOf } from '../terms/htlc.ts'
import { tokenAccountOf } from '../terms/instructions.ts'
import { readHtlcState, readOrder } from './contract-state.ts'
import { createExecutor, type SolanaExecutor } from './execute.ts'
import { legCostOf } from './fees/funds.ts'
import { createInstantRefund } from './instant-refund.ts'
import { type LocalFixture, startLocalFixture } from './local-chain.fixture.ts'
import { createRent } from './rent.ts'

/** An initiation of ours may be mined for an hour. */
const HOUR_SLOTS = 9_100

let fixture: LocalFixture
let executor: SolanaExecutor
let ability: InstantRefundAbility
beforeAll(async () => {
  fixture = await startLocalFixture()
  executor = createExecutor(fixture.node)
  ability = createInstantRefund(fixture.node, fixture.contracts, executor)
})
afterAll(() => fixture?.close())

describe.each(['sol', 'token'] as const)('a consent to the refund of %s', (kind) => {
  const proposed = async (): Promise<HtlcTerms> =>
    (await fixture.swap(fixture[kind], { initiator: fixture.user.address, redeemer: fixture.solver.address })).terms
  async function opened(terms: HtlcTerms, key: string): Promise<void> {
    await executor.initiate(fixture[kind], terms, fixture.user.outbox.open(key))
    fixture.mine()
  }
  const refundsOf = (terms: HtlcTerms) => [
    { deposit: swapIdOf(fixture[kind], terms), amount: terms.amount, to: terms.initiator, pays: terms.amount },
  ]
  const sign = (terms: HtlcTerms) => ability.sign(terms, refundsOf(terms), fixture.solver.key.signerFor(testPurpose))
  const combine = (terms: HtlcTerms, redeemer: string) => ability.combine(terms, refundsOf(terms), { initiator: [], redeemer })

  it('is neither given nor accepted before the initiation', async () => {
    const terms = await proposed()
    const early = { code: 'conflict', message: expect.stringMatching(/is not initiated on the chain/) }
    await expect(sign(terms)).rejects.toMatchObject(early)
    await expect(combine(terms, '00'.repeat(64))).rejects.toMatchObject(early)
  })

  it('ends with its order: the same terms, initiated again after the order was closed, need another one', async () => {
    const terms = await proposed()
    await opened(terms, `${kind} first`)
    const consent = await sign(terms)
    const signed = await combine(terms, consent)
    await ability.send(terms, signed, fixture.relay.outbox.open(`${kind} refund`))
    fixture.mine()
    expect(await readHtlcState(fixture.node, fixture[kind], terms)).toBe('refunded')

    fixture.chain.passTime(HOUR_SLOTS)
    await createRent(fixture.node, fixture.contracts).giveBack(terms, fixture.user.outbox.open(`${kind} close`))
    fixture.mine()
    expect(await readOrder(fixture.node, fixture[kind], terms)).toBeNull()
    await expect(combine(terms, consent)).rejects.toMatchObject({ code: 'conflict' })

    await opened(terms, `${kind} second`)
    await expect(combine(terms, consent)).rejects.toMatchObject({
      code: 'invalid_signature',
      message: expect.stringMatching(/not signed by the redeemer, or is for another initiation/),
    })
    const again = fixture.relay.outbox.open(`${kind} replay`)
    await expect(ability.send(terms, signed, again)).rejects.toMatchObject({ kind: 'would-fail' })
    expect(fixture.relay.outbox.attempts(`${kind} replay`)).toEqual([])
    expect(await combine(terms, await sign(terms))).toHaveLength(1)
  })

  it('costs a signature more than a refund, and as much as the accounts of the initiator cost at the moment', async () => {
    const terms = await proposed()
    const { refund } = await legCostOf(fixture.node, kind === 'token')
    expect(await ability.maxCost?.(terms)).toBe(refund + 5_000n)
    const { initiator } = terms
    const payee = kind === 'sol' ? initiator : tokenAccountOf(parseAddress(initiator), fixture.mint)
    const priorityFee = async (accounts: readonly string[]) => (accounts.includes(payee) ? 10_000_000n : 0n)
    const dear = createInstantRefund({ ...fixture.node, priorityFee }, fixture.contracts, executor)
    // 10 lamports for each of 16,000 units.
    expect(await dear.maxCost?.(terms)).toBe(10_000n + 160_000n)
  })
})
