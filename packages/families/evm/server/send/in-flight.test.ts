/** Tests several transactions of one key in flight: they share one line of nonces, and none blocks the others for ever. */

import { nonceOf } from '@tandem/chain-kit/contract/nonces.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { createMemoryOutbox, type MemoryOutbox, OutboxFailure } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { allowancesOf } from '../../terms/allowance.ts'
import { createContracts, initiateData } from '../../terms/htlc.ts'
import { openEvmClient } from '../client.fixture.ts'
import { createContractState } from '../contract-state.ts'
import { createExecutor } from '../execute.ts'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'

const { fixture, client, node, termsFor, phaseOf } = await openEvmClient()
const outbox = openedForEach(async () => createMemoryOutbox(fixture.solver.signer))

const newTerms = (symbol = 'eth') => termsFor(createSecret(), symbol)
const nonces = (...keys: readonly string[]) => keys.flatMap((key) => outbox.attempts(key).map(nonceOf))
const phases = (...terms: readonly HtlcTerms[]) => Promise.all(terms.map(phaseOf))
const initiate = (key: string, terms: HtlcTerms, options?: Parameters<MemoryOutbox['open']>[1]) =>
  client.initiate(terms, outbox.open(key, options))

function initiateWith(changes: Partial<EvmNode>, key: string, terms: HtlcTerms, opened: Outbox = outbox.open(key)): Promise<string> {
  const changed = { ...node, ...changes }
  const contract = createContracts(fixture.chain, fixture.assets).of(terms.asset)
  const call = { to: contract.address, data: initiateData(terms, fixture.solver.address), value: terms.amount }
  const executor = createExecutor(fixture.chain, changed, createContractState(changed), allowancesOf(fixture.assets))
  return executor.send({ verb: 'initiate', contract, terms, call, paysAmount: true }, opened)
}

function inARow(values: readonly bigint[]): readonly bigint[] {
  return values.map((value) => value - (values[0] ?? 0n))
}

describe('actions of one key at the same time', () => {
  it('take one nonce each, without a gap, and are mined together', async () => {
    const terms = [newTerms(), newTerms(), newTerms(), newTerms()]
    const keys = terms.map((_, index) => `action ${index}`)
    await Promise.all(terms.map((each, index) => initiate(keys[index] ?? '', each)))
    expect(inARow(nonces(...keys).toSorted((a, b) => Number(a - b)))).toEqual([0n, 1n, 2n, 3n])
    await fixture.mine()
    expect(await phases(...terms)).toEqual(['initiated', 'initiated', 'initiated', 'initiated'])
  })

  it('ask for one approval of a token together', async () => {
    const terms = [newTerms('usdc'), newTerms('usdc'), newTerms('usdc')]
    await Promise.all(terms.map((each, index) => initiate(`token ${index}`, each)))
    expect(nonces('token 0', 'token 1', 'token 2')).toHaveLength(4)
    await fixture.mine()
    expect(await phases(...terms)).toEqual(['initiated', 'initiated', 'initiated'])
  })

  it('wait for an earlier nonce where the node queues nothing', async () => {
    const [first, second] = [newTerms(), newTerms()]
    let isFirstSent = false
    const queuesNothing: Partial<EvmNode> = {
      async broadcast(raw) {
        const isFirst = outbox.attempts('first')[0]?.raw === raw
        if (!isFirst && !isFirstSent) throw new NodeRefusal(-32000, 'nonce too high: expected 4, got 5', null)
        // The first takes its time on the way to the node.
        if (isFirst) await new Promise((resolve) => setTimeout(resolve, 60))
        isFirstSent ||= isFirst
        return node.broadcast(raw)
      },
    }
    const sending = initiateWith(queuesNothing, 'first', first)
    await expect.poll(() => outbox.attempts('first').length).toBe(1)
    await Promise.all([sending, initiateWith(queuesNothing, 'second', second)])
    expect(inARow(nonces('first', 'second'))).toEqual([0n, 1n])
    await fixture.mine()
    expect(await phases(first, second)).toEqual(['initiated', 'initiated'])
  })

  it('fail for now if the earlier nonce never arrives where the node queues nothing', async () => {
    const broadcast = () => Promise.reject(new NodeRefusal(-32000, 'nonce too high', null))
    await expect(initiateWith({ broadcast }, 'a', newTerms())).rejects.toMatchObject({ kind: 'unreachable' })
    expect(outbox.attempts('a')).toHaveLength(1)
  })
})

describe('a transaction that was recorded and never broadcast', () => {
  it('makes its action due as soon as one behind it is followed, and is then rebroadcast', async () => {
    const [lost, behind] = [newTerms(), newTerms()]
    await expect(initiate('lost', lost, { fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
    const tx = await initiate('behind', behind)
    expect(await initiate('behind', behind)).toBe(tx)
    expect(outbox.madeDue).toEqual([])
    outbox.passSeconds(3n)
    expect(await initiate('behind', behind)).toBe(tx)
    expect(outbox.madeDue).toEqual([outbox.attempts('lost')[0]?.tx])
    await initiate('lost', lost)
    await fixture.mine()
    expect(await phases(lost, behind)).toEqual(['initiated', 'initiated'])
  })

  it('is not made due if the node has it', async () => {
    const [first, behind] = [newTerms(), newTerms()]
    await initiate('first', first)
    await initiate('behind', behind)
    outbox.passSeconds(3n)
    await initiate('behind', behind)
    expect(outbox.madeDue).toEqual([])
    await fixture.mine()
  })
})

describe('a broadcast that is refused in the middle of several', () => {
  const refuse: Partial<EvmNode> = { broadcast: () => Promise.reject(new NodeRefusal(-32000, 'internal error', null)) }

  it('holds its nonce and is rebroadcast', async () => {
    const [a, b, c] = [newTerms(), newTerms(), newTerms()]
    await initiate('a', a)
    await expect(initiateWith(refuse, 'b', b)).rejects.toMatchObject({ kind: 'would-fail' })
    await initiate('c', c)
    await fixture.mine()
    expect(await phases(a, b, c)).toEqual(['initiated', 'waiting', 'waiting'])
    await initiate('b', b)
    await fixture.mine()
    expect(await phases(a, b, c)).toEqual(['initiated', 'initiated', 'initiated'])
    expect(nonces('a', 'b', 'c')).toHaveLength(3)
  })

  it('and accepted later does not count as refused when its fee bump is', async () => {
    const a = newTerms()
    await expect(initiateWith(refuse, 'a', a)).rejects.toMatchObject({ kind: 'would-fail' })
    const [first] = outbox.attempts('a')
    await fixture.mine()
    outbox.passSeconds(fixture.chain.feeBumpSeconds)
    const broadcast = (raw: Hex) =>
      raw === first?.raw ? node.broadcast(raw) : Promise.reject(new NodeRefusal(-32000, 'nonce too low', null))
    await expect(initiateWith({ broadcast }, 'a', a)).rejects.toMatchObject({ kind: 'unreachable' })
    expect(outbox.attempts('a')).toHaveLength(2)
    await fixture.mine()
    expect(await phaseOf(a)).toBe('initiated')
  })

  it('leaves its nonce to the next if it is no longer wanted', async () => {
    const [a, b, c, d] = [newTerms(), newTerms(), newTerms(), newTerms()]
    await initiate('a', a)
    await expect(initiateWith(refuse, 'b', b)).rejects.toMatchObject({ kind: 'would-fail' })
    await initiate('c', c)
    outbox.abandon('b')
    await initiate('d', d)
    expect(nonces('d')).toEqual(nonces('b'))
    await fixture.mine()
    expect(await phases(a, b, c, d)).toEqual(['initiated', 'waiting', 'initiated', 'initiated'])
  })

  it('leaves its nonce to only one of those behind it', async () => {
    const [a, b, c] = [newTerms(), newTerms(), newTerms()]
    await expect(initiateWith(refuse, 'a', a)).rejects.toMatchObject({ kind: 'would-fail' })
    await initiate('b', b)
    await initiate('c', c)
    outbox.abandon('a')
    await Promise.all([initiate('b', b), initiate('c', c)])
    expect(outbox.attempts('b').length + outbox.attempts('c').length).toBe(3)
    await fixture.mine()
    expect(await phases(a, b, c)).toEqual(['waiting', 'initiated', 'initiated'])
  })
})

describe('a replacement while others are behind it', () => {
  it('keeps its nonce, and those behind stay as they are', async () => {
    const [a, b] = [newTerms(), newTerms()]
    const first = await initiate('a', a)
    const behind = await initiate('b', b)
    outbox.passSeconds(fixture.chain.feeBumpSeconds)
    const [replaced, kept] = await Promise.all([initiate('a', a), initiate('b', b)])
    expect(replaced).not.toBe(first)
    expect(kept).toBe(behind)
    expect(new Set(nonces('a')).size).toBe(1)
    await fixture.mine()
    expect(await phases(a, b)).toEqual(['initiated', 'initiated'])
  })

  it('is not made if another action has taken over the nonce', async () => {
    const [a, b] = [newTerms(), newTerms()]
    await initiate('a', a)
    outbox.passSeconds(fixture.chain.feeBumpSeconds)
    // Both see a's transaction as unmined. While a prepares its fee bump, b replaces the transaction as unwanted.
    const taken: Partial<EvmNode> = {
      async priorityFee() {
        if (outbox.attempts('b').length === 0) {
          outbox.abandon('a')
          await initiate('b', b)
        }
        return node.priorityFee()
      },
    }
    await expect(initiateWith(taken, 'a', a)).rejects.toMatchObject({ kind: 'superseded' })
    expect(outbox.attempts('a')).toHaveLength(1)
    await fixture.mine()
    expect(await phases(a, b)).toEqual(['waiting', 'initiated'])
  })

  it('of a cancelled one lets those behind be mined', async () => {
    const [a, b] = [newTerms(), newTerms()]
    await initiate('a', a)
    await initiate('b', b)
    await client.cancel?.(outbox.open('a'))
    await fixture.mine()
    expect(await phases(a, b)).toEqual(['waiting', 'initiated'])
    expect(new Set(nonces('a')).size).toBe(1)
  })
})

it('a nonce that was mined since the lane was opened is not signed again', async () => {
  const [a, b] = [newTerms(), newTerms()]
  await initiate('a', a)
  const mineMeanwhile: Partial<EvmNode> = {
    async priorityFee() {
      await fixture.mine()
      outbox.abandon('a')
      return node.priorityFee()
    },
  }
  await initiateWith(mineMeanwhile, 'b', b)
  expect(inARow([...nonces('a'), ...nonces('b')])).toEqual([0n, 1n])
  await fixture.mine()
  expect(await phases(a, b)).toEqual(['initiated', 'initiated'])
})

describe('a first attempt', () => {
  async function countQuestions(key: string, terms: HtlcTerms) {
    const counts = { reads: 0, known: 0 }
    const opened = outbox.open(key)
    const readOthers: Outbox['readOthers'] = (query) => {
      counts.reads += 1
      return opened.readOthers(query)
    }
    const isKnown: EvmNode['isKnown'] = (tx) => {
      counts.known += 1
      return node.isKnown(tx)
    }
    await initiateWith({ isKnown }, key, terms, { ...opened, readOthers })
    return counts
  }

  it('reads the attempts of others only under the key', async () => {
    const [a, b] = [newTerms(), newTerms()]
    await initiate('a', a)
    expect(await countQuestions('b', b)).toEqual({ reads: 0, known: 0 })
    expect(inARow(nonces('a', 'b'))).toEqual([0n, 1n])
    await fixture.mine()
    expect(await phases(a, b)).toEqual(['initiated', 'initiated'])
  })

  it('asks without the key whether old ones are abandoned, and takes the nonce of one that no node knows', async () => {
    const [a, b] = [newTerms(), newTerms()]
    await expect(initiateWith({ broadcast: () => Promise.reject(new NodeRefusal(-32000, 'no', null)) }, 'a', a)).rejects.toThrow()
    outbox.passSeconds(fixture.chain.feeBumpSeconds)
    expect(await countQuestions('b', b)).toEqual({ reads: 1, known: 1 })
    expect(nonces('b')).toEqual(nonces('a'))
    await fixture.mine()
    expect(await phases(a, b)).toEqual(['waiting', 'initiated'])
  })
})
