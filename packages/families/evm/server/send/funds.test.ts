/**
 * Tests what an account must hold before it signs: for transactions in flight, and for the redeems that optional ones must not endanger.
 */
import type { Executor } from '@tandem/chain-kit/contract/execute.ts'
import { REDEEMS_KEPT } from '@tandem/chain-kit/contract/funds.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { describe, expect, it } from 'vitest'
import { allowancesOf } from '../../terms/allowance.ts'
import { createContracts, initiateData, redeemData } from '../../terms/htlc.ts'
import { openEvmClient } from '../client.fixture.ts'
import { createContractState } from '../contract-state.ts'
import { type Action, createExecutor } from '../execute.ts'
import { feeModelOf, suggestFees } from '../fees/fees.ts'
import { fallbackGas } from '../fees/gas.ts'
import type { EvmNode } from '../nodes/node.ts'
import { readAttempt } from './transaction.ts'

const { fixture, node, termsFor, phaseOf } = await openEvmClient()
const outbox = openedForEach(async () => createMemoryOutbox(fixture.solver.signer))
let secret: string

function newTerms(over: Partial<HtlcTerms> = {}): HtlcTerms {
  secret = createSecret()
  return termsFor(secret, 'eth', over)
}

function executorWith(changes: Partial<EvmNode>): Executor<Action> {
  const changed = { ...node, ...changes }
  return createExecutor(fixture.chain, changed, createContractState(changed), allowancesOf(fixture.assets))
}

const contractOf = (terms: HtlcTerms) => createContracts(fixture.chain, fixture.assets).of(terms.asset)

function initiation(terms: HtlcTerms): Action {
  const contract = contractOf(terms)
  const call = { to: contract.address, data: initiateData(terms, fixture.solver.address), value: terms.amount }
  return { verb: 'initiate', contract, terms, call, paysAmount: true }
}

function redemption(terms: HtlcTerms): Action {
  const contract = contractOf(terms)
  return { verb: 'redeem', contract, terms, call: { to: contract.address, data: redeemData(terms, secret), value: 0n }, paysAmount: false }
}

const send = (action: Action, key: string, changes: Partial<EvmNode> = {}) => executorWith(changes).send(action, outbox.open(key))
const sendWith = (balance: bigint, action: Action, key: string) => send(action, key, { balance: async () => balance })

function costOf(key: string): bigint {
  const { call, gas, fees } = readAttempt(outbox.attempts(key).at(-1) as Attempt)
  return call.value + gas * fees.maxFeePerGas
}

async function redeemCost(): Promise<bigint> {
  return fallbackGas.redeem * (await suggestFees(node, feeModelOf(fixture.chain))).maxFeePerGas
}

const kept = async () => REDEEMS_KEPT * (await redeemCost())

describe('an initiation', () => {
  it('is not signed if it would use what transactions in flight need', async () => {
    await send(initiation(newTerms()), 'a')
    const [cost, reserve] = [costOf('a'), await kept()]
    await expect(sendWith(reserve + (cost * 7n) / 4n, initiation(newTerms()), 'b')).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringContaining(`${cost} of it reserved for unmined transactions`),
    })
    expect(outbox.attempts('b')).toEqual([])
    await sendWith(reserve + (cost * 9n) / 4n, initiation(newTerms()), 'b')
    await fixture.mine()
  })

  it('leaves enough for redeems', async () => {
    await send(initiation(newTerms()), 'a')
    await fixture.mine()
    const [cost, reserve] = [costOf('a'), await kept()]
    await expect(sendWith(reserve + cost / 2n, initiation(newTerms()), 'b')).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringContaining(`keeps ${reserve} for redeems and refunds`),
    })
    expect(outbox.attempts('b')).toEqual([])
  })

  it('counts the dearest of several transactions at one nonce', async () => {
    const amount = 10n ** 18n
    await send(initiation(newTerms({ amount })), 'a')
    const dearest = costOf('a')
    await executorWith({}).cancelUnmined(outbox.open('a'))
    expect(costOf('a')).toBeLessThan(amount)
    const held = (await kept()) + amount
    await expect(sendWith(held, initiation(newTerms()), 'b')).rejects.toThrow(`${dearest} of it reserved`)
    await fixture.mine()
  })

  it('does not count one that was mined since the nonce was read', async () => {
    const first = newTerms()
    await send(initiation(first), 'a')
    const staleCount = await node.transactionCount(fixture.solver.address)
    await fixture.mine()
    const [cost, reserve] = [costOf('a'), await kept()]
    let reads = 0
    const transactionCount: EvmNode['transactionCount'] = async (address) => {
      reads += 1
      return reads === 1 ? staleCount : node.transactionCount(address)
    }
    const second = newTerms()
    await send(initiation(second), 'b', { transactionCount, balance: async () => reserve + (cost * 3n) / 2n })
    await fixture.mine()
    expect(await Promise.all([first, second].map(phaseOf))).toEqual(['initiated', 'initiated'])
  })
})

describe('a redeem', () => {
  it('may use what is kept for it, after those before it in line', async () => {
    const terms = newTerms()
    const action = redemption(terms)
    await send(initiation(terms), 'i')
    await fixture.mine()
    await send(initiation(newTerms()), 'a')
    const [inFlight, own] = [costOf('a'), await redeemCost()]
    await expect(sendWith(inFlight + own - 1n, action, 'r')).rejects.toThrow(`${inFlight} of it reserved for unmined transactions`)
    expect(outbox.attempts('r')).toEqual([])
    await sendWith(inFlight + own, action, 'r')
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('redeemed')
  })
})

describe('a fee bump', () => {
  it('is not signed if it would use what those behind it need', async () => {
    const [a, b] = [newTerms(), newTerms()]
    await send(initiation(a), 'a')
    await send(initiation(b), 'b')
    const all = costOf('a') + costOf('b')
    outbox.passSeconds(fixture.chain.feeBumpSeconds)
    await expect(sendWith(all, initiation(a), 'a')).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringContaining('reserved'),
    })
    expect(outbox.attempts('a')).toHaveLength(1)
    // The money kept for redeems may be used, because they wait behind this transaction.
    await sendWith(all + costOf('a') / 2n, initiation(a), 'a')
    expect(outbox.attempts('a')).toHaveLength(2)
    await fixture.mine()
    expect(await Promise.all([a, b].map(phaseOf))).toEqual(['initiated', 'initiated'])
  })
})
