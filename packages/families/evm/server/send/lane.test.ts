/** Tests when the fee of unmined transactions is bumped, up to which cap, and which gas limit they get. */

import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox, type MemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { describe, expect, it } from 'vitest'
import { allowancesOf } from '../../terms/allowance.ts'
import { createContracts, initiateData, redeemData } from '../../terms/htlc.ts'
import { openEvmClient } from '../client.fixture.ts'
import { createContractState } from '../contract-state.ts'
import { type Action, createExecutor } from '../execute.ts'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import { PartialRefusal } from './broadcast.ts'
import { readAttempt } from './transaction.ts'

const { fixture, client, node, termsFor, phaseOf } = await openEvmClient()
const outbox = openedForEach(async () => createMemoryOutbox(fixture.solver.signer))
let secret: string

function newTerms(): HtlcTerms {
  secret = createSecret()
  return termsFor(secret, 'eth')
}

const initiate = (key: string, terms: HtlcTerms, options?: Parameters<MemoryOutbox['open']>[1]) =>
  client.initiate(terms, outbox.open(key, options))
const redeem = (key: string, terms: HtlcTerms) => client.redeem(terms, { deposits: [], to: null, secret }, outbox.open(key))
const bumpSeconds = () => fixture.chain.feeBumpSeconds

function pair(attempts: readonly Attempt[]): readonly [Attempt, Attempt] {
  expect(attempts).toHaveLength(2)
  return attempts as [Attempt, Attempt]
}

function sendWith(changes: Partial<EvmNode>, action: Action, key: string): Promise<string> {
  const changed = { ...node, ...changes }
  return createExecutor(fixture.chain, changed, createContractState(changed), allowancesOf(fixture.assets)).send(action, outbox.open(key))
}

function initiation(terms: HtlcTerms): Action {
  const contract = createContracts(fixture.chain, fixture.assets).of(terms.asset)
  const call = { to: contract.address, data: initiateData(terms, fixture.solver.address), value: terms.amount }
  return { verb: 'initiate', contract, terms, call, paysAmount: true }
}

function redemption(terms: HtlcTerms): Action {
  const contract = createContracts(fixture.chain, fixture.assets).of(terms.asset)
  return { verb: 'redeem', contract, terms, call: { to: contract.address, data: redeemData(terms, secret), value: 0n }, paysAmount: false }
}

describe('fees', () => {
  it('bumps the fee of a transaction that waits too long, at the same nonce, and is mined once', async () => {
    const terms = newTerms()
    const first = await initiate('a', terms)
    outbox.passSeconds(bumpSeconds() - 1n)
    expect(await initiate('a', terms)).toBe(first)
    outbox.passSeconds(1n)
    const second = await initiate('a', terms)
    expect(second).not.toBe(first)
    const [cheap, dear] = pair(outbox.attempts('a'))
    expect(dear.slots).toEqual(cheap.slots)
    expect(dear.feeRate * 8n).toBeGreaterThanOrEqual(cheap.feeRate * 9n)
    const tips = [cheap, dear].map((attempt) => readAttempt(attempt).fees.maxPriorityFeePerGas) as [bigint, bigint]
    expect(tips[1] * 8n).toBeGreaterThanOrEqual(tips[0] * 9n)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
    expect(await initiate('a', terms)).toBe(second)
  })

  it('doubles it close to the deadline', async () => {
    const terms = newTerms()
    await initiate('a', terms)
    outbox.passSeconds(bumpSeconds())
    await initiate('a', terms, { secondsLeft: bumpSeconds() })
    const [cheap, dear] = pair(outbox.attempts('a'))
    expect(dear.feeRate).toBeGreaterThanOrEqual(cheap.feeRate * 2n)
    await fixture.mine()
  })

  it('does not bump the fee of a transaction that waits for a lower nonce', async () => {
    const [a, b] = [newTerms(), newTerms()]
    await initiate('a', a)
    const second = await initiate('b', b)
    outbox.passSeconds(bumpSeconds())
    expect(await initiate('b', b)).toBe(second)
    await fixture.mine()
    expect(await phaseOf(b)).toBe('initiated')
  })

  it('does not bump it while the chain makes no blocks', async () => {
    const action = initiation(newTerms())
    let time = outbox.open('a').now
    const block: EvmNode['block'] = async (height) => {
      const found = await node.block(height)
      return found && { ...found, time }
    }
    const first = await sendWith({ block }, action, 'a')
    outbox.passSeconds(bumpSeconds() * 20n)
    expect(await sendWith({ block }, action, 'a')).toBe(first)
    time += 1n
    expect(await sendWith({ block }, action, 'a')).not.toBe(first)
    await fixture.mine()
  })

  it('caps the fee of an initiation, which is optional, near the market, and that of a redeem, which is obligatory, far above', async () => {
    const terms = newTerms()
    const market = { priorityFee: async () => 2_000_000_000n }
    const estimate = async () => 2n * ((await node.block('latest'))?.baseFeePerGas ?? 0n) + 2_000_000_000n
    const highestOf = async (action: Action, key: string) => {
      for (let tries = 0; tries < 20; tries += 1) {
        await sendWith(market, action, key)
        outbox.passSeconds(bumpSeconds())
      }
      return (outbox.attempts(key).at(-1) as Attempt).feeRate
    }
    const initiating = await highestOf(initiation(terms), 'i')
    expect(initiating).toBeGreaterThan(2n * (await estimate()))
    expect(initiating).toBeLessThanOrEqual(3n * (await estimate()))
    await fixture.mine()
    expect(await highestOf(redemption(terms), 'r')).toBeGreaterThan(5n * (await estimate()))
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('redeemed')
  })
})

describe('a transaction that the node accepts each time and drops', () => {
  const taking: Partial<EvmNode> = { isKnown: async () => false, broadcast: async () => undefined }

  it('gets a fee bump after a while', async () => {
    const terms = newTerms()
    const first = await sendWith(taking, initiation(terms), 'a')
    outbox.passSeconds(bumpSeconds() - 1n)
    expect(await sendWith(taking, initiation(terms), 'a')).toBe(first)
    outbox.passSeconds(1n)
    await sendWith(taking, initiation(terms), 'a')
    const [cheap, dear] = pair(outbox.attempts('a'))
    expect(dear.slots).toEqual(cheap.slots)
    expect(dear.feeRate).toBeGreaterThan(cheap.feeRate)
  })
})

it.each(['nonce too low', 'intrinsic gas too low', 'no'])(
  'a transaction that some providers accept while others say "%s" does not count as refused',
  async (words) => {
    const refusal = new NodeRefusal(-32000, words, null)
    const sendTo = (refused: NodeRefusal, key: string) =>
      sendWith({ broadcast: () => Promise.reject(refused) }, initiation(newTerms()), key)
    await expect(sendTo(refusal, 'a')).rejects.toMatchObject({ kind: 'would-fail' })
    await expect(sendTo(new PartialRefusal(refusal), 'b')).rejects.toMatchObject({ kind: 'unreachable' })
  },
)

describe('a transaction at our nonce that we have no record of', () => {
  const stranger = () => fixture.sendAs(fixture.solver, { to: fixture.user.address, value: 1n })

  it('is replaced by a redeem with a higher fee', async () => {
    const terms = newTerms()
    await initiate('i', terms)
    await fixture.mine()
    await stranger()
    const tx = await redeem('r', terms)
    expect(outbox.attempts('r').length).toBeGreaterThan(1)
    await fixture.mine()
    expect((await readSwap(client, terms, 0n)).events.map((event) => event.tx)).toEqual([expect.any(String), tx])
  })

  it('that pays far more than the market makes an initiation wait', async () => {
    const terms = newTerms()
    await stranger()
    await expect(initiate('a', terms)).rejects.toMatchObject({ kind: 'would-fail' })
    await expect(initiate('a', terms)).rejects.toMatchObject({ kind: 'would-fail' })
    await fixture.mine()
    await initiate('a', terms)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
  })
})

describe('a recorded transaction with a gas limit that the node refuses', () => {
  it.each(['intrinsic gas too low: gas 21000, minimum needed 30000', 'exceeds block gas limit'])('"%s" is replaced', async (message) => {
    const terms = newTerms()
    const action = initiation(terms)
    const stingy = { estimateGas: async () => 40_000n }
    fixture.local.faults.drop(1)
    await sendWith(stingy, action, 'a')
    const refusing: Partial<EvmNode> = {
      async broadcast(raw) {
        if (raw === outbox.attempts('a')[0]?.raw) throw new NodeRefusal(-32000, message, null)
        return node.broadcast(raw)
      },
    }
    const tx = await sendWith(refusing, action, 'a')
    const [small, ample] = pair(outbox.attempts('a')).map(readAttempt)
    expect(ample?.tx).toBe(tx)
    expect(ample?.nonce).toBe(small?.nonce)
    expect(ample?.gas).toBeGreaterThan(small?.gas ?? 0n)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
  })

  it('is not replaced by the same one again and again', async () => {
    const action = initiation(newTerms())
    fixture.local.faults.drop(1)
    await sendWith({}, action, 'a')
    const broadcast = () => Promise.reject(new NodeRefusal(-32000, 'intrinsic gas too low', null))
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(sendWith({ broadcast }, action, 'a')).rejects.toMatchObject({ kind: 'would-fail' })
    }
    expect(outbox.attempts('a')).toHaveLength(1)
    await sendWith({}, action, 'a')
    await fixture.mine()
  })
})
