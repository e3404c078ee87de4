/** Tests the executor on a local chain with manual mining: nonces, lost and reverted transactions. */

import { nonceOf } from '@tandem/chain-kit/contract/nonces.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox, type MemoryOutbox, OutboxFailure } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { encodeFunctionData, erc20Abi } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { allowancesOf } from '../terms/allowance.ts'
import { createContracts, initiateData } from '../terms/htlc.ts'
import { openEvmClient } from './client.fixture.ts'
import { createContractState } from './contract-state.ts'
import { createExecutor } from './execute.ts'
import type { EvmNode } from './nodes/node.ts'
import { NodeRefusal } from './nodes/rpc.ts'
import { readAttempt } from './send/transaction.ts'

const { fixture, client, node, termsFor, phaseOf } = await openEvmClient()
const outbox = openedForEach(async () => createMemoryOutbox(fixture.solver.signer))
let secret: string

afterEach(() => fixture.local.faults.offline(false))

function newTerms(symbol = 'eth'): HtlcTerms {
  secret = createSecret()
  return termsFor(secret, symbol)
}

const initiate = (key: string, terms: HtlcTerms, options?: Parameters<MemoryOutbox['open']>[1]) =>
  client.initiate(terms, outbox.open(key, options))
const spend = { deposits: [], to: null }
const bumpSeconds = () => fixture.chain.feeBumpSeconds

function only(attempts: readonly Attempt[]): Attempt {
  expect(attempts).toHaveLength(1)
  return attempts[0] as Attempt
}

function pair(attempts: readonly Attempt[]): readonly [Attempt, Attempt] {
  expect(attempts).toHaveLength(2)
  return attempts as [Attempt, Attempt]
}

describe('nonces', () => {
  it('does not reuse the nonce of a wanted transaction, even if it was never broadcast', async () => {
    const [a, b] = [newTerms(), newTerms()]
    await expect(initiate('a', a, { fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
    await initiate('b', b)
    expect(nonceOf(only(outbox.attempts('b')))).toBe(nonceOf(only(outbox.attempts('a'))) + 1n)
    await fixture.mine()
    expect(await phaseOf(b)).toBe('waiting')
    await initiate('a', a)
    await fixture.mine()
    expect([await phaseOf(a), await phaseOf(b)]).toEqual(['initiated', 'initiated'])
  })

  it('replaces a transaction that is not wanted any more', async () => {
    const [a, b] = [newTerms(), newTerms()]
    await initiate('a', a)
    outbox.abandon('a')
    await initiate('b', b)
    expect(only(outbox.attempts('b')).slots).toEqual(only(outbox.attempts('a')).slots)
    await fixture.mine()
    expect([await phaseOf(a), await phaseOf(b)]).toEqual(['waiting', 'initiated'])
  })

  it('is not blocked for ever by a wanted transaction that all nodes dropped', async () => {
    const [a, b] = [newTerms(), newTerms()]
    await expect(initiate('a', a, { fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
    outbox.passSeconds(bumpSeconds())
    await initiate('b', b)
    expect(only(outbox.attempts('b')).slots).toEqual(only(outbox.attempts('a')).slots)
    await fixture.mine()
    await initiate('a', a)
    await fixture.mine()
    expect([await phaseOf(a), await phaseOf(b)]).toEqual(['initiated', 'initiated'])
  })

  it('fills a nonce gap that opens before its own transaction', async () => {
    const [a, b] = [newTerms(), newTerms()]
    await expect(initiate('a', a, { fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
    await initiate('b', b)
    outbox.abandon('a')
    await initiate('b', b)
    await fixture.mine()
    expect([await phaseOf(a), await phaseOf(b)]).toEqual(['waiting', 'initiated'])
  })

  it('signs again when its nonce was used by another transaction', async () => {
    const terms = newTerms()
    await expect(initiate('a', terms, { fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
    await fixture.sendAs(fixture.solver, { to: fixture.user.address, value: 1n })
    await fixture.mine()
    const tx = await initiate('a', terms)
    const [dead, live] = pair(outbox.attempts('a'))
    expect(live.tx).toBe(tx)
    expect(nonceOf(live)).toBe(nonceOf(dead) + 1n)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
  })
})

describe('faults', () => {
  it('rebroadcasts a transaction that the node dropped', async () => {
    const terms = newTerms()
    fixture.local.faults.drop(1)
    const tx = await initiate('a', terms)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('waiting')
    expect(await initiate('a', terms)).toBe(tx)
    expect(only(outbox.attempts('a')).tx).toBe(tx)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
  })

  it('fails as unreachable while the node is down, and continues when it is back', async () => {
    const terms = newTerms()
    fixture.local.faults.offline(true)
    await expect(initiate('a', terms)).rejects.toMatchObject({ kind: 'unreachable' })
    await expect(client.tip()).rejects.toMatchObject({ kind: 'unreachable' })
    fixture.local.faults.offline(false)
    await initiate('a', terms)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
  })
})

describe('a call that the contract would revert', () => {
  it('with a wrong secret is refused before any node sees it', async () => {
    const terms = newTerms()
    fixture.local.faults.offline(true)
    const wrong = client.redeem(terms, { ...spend, secret: createSecret() }, outbox.open('r'))
    await expect(wrong).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('secret') })
  })

  it('fails with the reason before any gas is spent', async () => {
    const terms = newTerms()
    await expect(client.redeem(terms, { ...spend, secret }, outbox.open('r'))).rejects.toMatchObject({ kind: 'would-fail' })
    await initiate('a', terms)
    await fixture.mine()
    const early = client.refund(terms, spend, outbox.open('f'))
    await expect(early).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('HTLC__OrderNotExpired') })
    expect([...outbox.attempts('r'), ...outbox.attempts('f')]).toEqual([])
  })

  it('because another redeem was first is superseded, and is not sent again', async () => {
    const terms = newTerms()
    await initiate('a', terms)
    await fixture.mine()
    const rival = createMemoryOutbox(fixture.user.signer)
    const ours = await client.redeem(terms, { ...spend, secret }, outbox.open('r'))
    await client.redeem(terms, { ...spend, secret }, rival.open('r'))
    rival.passSeconds(bumpSeconds())
    const theirs = await client.redeem(terms, { ...spend, secret }, rival.open('r'))
    await fixture.mine()
    expect((await readSwap(client, terms, 0n)).events.map((event) => event.tx)).toEqual([expect.any(String), theirs])
    expect(await client.redeem(terms, { ...spend, secret }, rival.open('r'))).toBe(theirs)
    await expect(client.redeem(terms, { ...spend, secret }, outbox.open('r'))).rejects.toMatchObject({ kind: 'superseded' })
    expect(only(outbox.attempts('r')).tx).toBe(ours)
  })

  it('because somebody else initiated the swap is superseded', async () => {
    const terms = newTerms()
    const contract = createContracts(fixture.chain, fixture.assets).of(terms.asset)
    const data = initiateData(terms, fixture.user.address)
    await fixture.sendAs(fixture.user, { to: contract.address, data, value: terms.amount })
    await fixture.mine()
    await expect(initiate('a', terms)).rejects.toMatchObject({ kind: 'superseded' })
    expect(outbox.attempts('a')).toEqual([])
  })

  it('because it pays more than the balance fails', async () => {
    const terms = { ...newTerms(), amount: 10n ** 30n }
    await expect(initiate('a', terms)).rejects.toMatchObject({ kind: 'would-fail' })
    const tokens = { ...newTerms('wbtc'), amount: 10n ** 30n }
    await expect(initiate('b', tokens)).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('holds') })
    expect([...outbox.attempts('a'), ...outbox.attempts('b')]).toEqual([])
  })
})

describe('a gas limit', () => {
  it('is enough for an initiation although all other swaps of the HTLC were redeemed since it was estimated', async () => {
    const [a, secretOfA, b] = [newTerms('wbtc'), secret, newTerms('wbtc')]
    await initiate('a', a)
    await fixture.mine()
    fixture.local.faults.drop(1)
    await initiate('b', b)
    await client.redeem(a, { ...spend, secret: secretOfA }, createMemoryOutbox(fixture.user.signer).open('r'))
    await fixture.mine()
    await initiate('b', b)
    await fixture.mine()
    expect([await phaseOf(a), await phaseOf(b)]).toEqual(['redeemed', 'initiated'])
    expect(outbox.attempts('b')).toHaveLength(1)
  })
})

describe('cancelling', () => {
  it('replaces an unmined initiation, and allows a later one', async () => {
    const terms = newTerms()
    await initiate('a', terms)
    expect(await client.cancel?.(outbox.open('a'))).toEqual(expect.any(String))
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('waiting')
    expect(await client.cancel?.(outbox.open('a'))).toBeNull()
    await initiate('a', terms)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
    expect(await client.cancel?.(outbox.open('a'))).toBeNull()
  })
})

describe('paying for somebody else', () => {
  it('locks money that goes back to the initiator of the terms', async () => {
    const terms = { ...newTerms(), initiator: fixture.user.address, redeemer: fixture.solver.address }
    await initiate('a', terms)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
  })
})

describe('allowances', () => {
  const callsTo = (key: string) => outbox.attempts(key).map((attempt) => readAttempt(attempt).call.to)

  it('are approved for four of the largest swaps, before the first initiation that needs them', async () => {
    const { tokens, htlcs } = fixture.contracts
    const [a, b, c] = [newTerms('usdc'), newTerms('usdc'), newTerms('usdc')]
    await initiate('a', a)
    await initiate('b', b)
    const [token, htlc] = [tokens.usdc.toLowerCase(), htlcs.usdc.toLowerCase()]
    expect([callsTo('a'), callsTo('b')]).toEqual([[token, htlc], [htlc]])
    await fixture.mine()
    await initiate('c', c)
    await fixture.mine()
    expect(callsTo('c')).toEqual([htlc])
    expect([await phaseOf(a), await phaseOf(b), await phaseOf(c)]).toEqual(['initiated', 'initiated', 'initiated'])
    expect(await createContractState(node).allowance(tokens.usdc, fixture.solver.address, htlcs.usdc)).toBe(approved('usdc') - 3_000n)
  })

  it('are approved again when less is left than the next initiation needs', async () => {
    await approveAsSolver(999n)
    const terms = newTerms('wbtc')
    await initiate('a', terms)
    expect(callsTo('a')).toHaveLength(2)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
    expect(
      await createContractState(node).allowance(fixture.contracts.tokens.wbtc, fixture.solver.address, fixture.contracts.htlcs.wbtc),
    ).toBe(approved('wbtc') - 1_000n)
  })

  it('are rebroadcast together with the initiation that is queued behind them', async () => {
    const { wbtc } = fixture.contracts.tokens
    await approveAsSolver(0n)
    const terms = newTerms('wbtc')
    fixture.local.faults.drop(2)
    const tx = await initiate('a', terms)
    await fixture.mine()
    expect(await initiate('a', terms)).toBe(tx)
    expect(callsTo('a')).toHaveLength(2)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
    expect(callsTo('a')[0]).toBe(wbtc.toLowerCase())
  })

  it('are reset to zero first where the token requires it', async () => {
    await approveAsSolver(1n)
    const terms = newTerms('wbtc')
    const contract = createContracts(fixture.chain, fixture.assets).of(terms.asset)
    const insisting: EvmNode = {
      ...node,
      async call(call) {
        const isApproval = call.to === contract.token && call.from !== undefined
        if (isApproval) throw new NodeRefusal(3, 'execution reverted', null)
        return node.call(call)
      },
    }
    const executor = createExecutor(fixture.chain, insisting, createContractState(insisting), allowancesOf(fixture.assets))
    const call = { to: contract.address, data: initiateData(terms, fixture.solver.address), value: 0n }
    await executor.send({ verb: 'initiate', contract, terms, call, paysAmount: true }, outbox.open('a'))
    const approvals = outbox.attempts('a').map((attempt) => readAttempt(attempt).call.data)
    expect(approvals).toEqual([approveData(0n), approveData(approved('wbtc')), call.data])
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
  })

  /** A fault of the HTLC can take no more than this of the inventory. */
  const approved = (symbol: string) => 4n * (fixture.assets.find(({ id }) => id.endsWith(`:${symbol}`))?.maxAmount ?? 0n)

  const approveData = (amount: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [fixture.contracts.htlcs.wbtc, amount] })

  async function approveAsSolver(amount: bigint): Promise<void> {
    await fixture.sendAs(fixture.solver, { to: fixture.contracts.tokens.wbtc, data: approveData(amount) })
    await fixture.mine()
  }
})
