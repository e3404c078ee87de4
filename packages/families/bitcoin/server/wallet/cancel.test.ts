// Tests cancelling initiations, also when they are wanted again, on the simulated chain.
import { type OutboxFault, opened } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { regtest } from '../bitcoin.fixture.ts'
import { createBlocksSince } from '../blocks/blocks-since.ts'
import { createCoreBackend } from '../nodes/core-rpc.ts'
import { cancelInitiation } from './cancel.ts'
import { chain, type Fixture, failure, startFixture } from './manual-mining.fixture.ts'

describe.each(['rpc', 'esplora'] as const)('cancelling through %s', (endpoint) => {
  let fixture: Fixture
  beforeEach(async () => {
    fixture = await startFixture(endpoint)
  })
  afterEach(() => fixture.node.close())

  const cancel = (key = 'initiate', options: { readonly fault?: OutboxFault } = {}) => {
    if (fixture.client.cancel === undefined) throw new Error('the client lacks the ability cancel')
    return fixture.client.cancel(fixture.solverOutbox.open(key, options))
  }
  const attempts = (key = 'initiate') => fixture.solverOutbox.attempts(key)
  const balance = () => fixture.client.balance(chain.nativeAsset, fixture.client.addressOf(fixture.solver))
  const raise = () => fixture.solverOutbox.passSeconds(chain.feeBumpSeconds)

  it('spends the coins back to the wallet once, and then returns null', async () => {
    await fixture.fundSolver(1_000_000n)
    const terms = fixture.terms(200_000n)
    await fixture.initiate(terms)
    const tx = await cancel()
    expect(tx).not.toBeNull()
    expect(await fixture.mempool()).toEqual([tx])
    expect(await cancel()).toBe(tx)
    expect(attempts()).toHaveLength(2)
    const { fee } = await fixture.unminedFee(tx ?? '')
    fixture.node.mine(1)
    expect(await cancel()).toBeNull()
    expect(attempts()).toHaveLength(2)
    expect((await fixture.swapState(terms)).deposits).toEqual([])
    expect(await balance()).toBe(1_000_000n - fee)
  })

  it('has nothing to do when nothing was signed, or when it is mined', async () => {
    expect(await cancel()).toBeNull()
    await fixture.fundSolver(1_000_000n)
    const terms = fixture.terms(200_000n)
    await fixture.initiate(terms)
    fixture.node.mine(1)
    expect(await cancel()).toBeNull()
    expect(attempts()).toHaveLength(1)
    expect((await fixture.swapState(terms)).deposits).toHaveLength(1)
  })

  it('excludes every attempt, broadcast or not', async () => {
    await fixture.fundSolver(210_000n, 300_000n)
    const terms = fixture.terms(200_000n)
    await fixture.initiate(terms)
    raise()
    await expect(fixture.initiate(terms, 'initiate', { fault: 'dies-after-recording' })).rejects.toThrow()
    const tx = await cancel()
    const [one, two, callback] = attempts()
    for (const payment of [one, two]) expect(callback?.slots.some((slot) => payment?.slots.includes(slot))).toBe(true)
    fixture.node.mine(1)
    expect(await cancel()).toBeNull()
    for (const payment of [one, two]) await expect(fixture.rpc('sendrawtransaction', payment?.raw)).rejects.toThrow(/missingorspent/)
    expect(callback?.tx).toBe(tx)
  })

  it('is recorded before it is broadcast, and rebroadcast unchanged', async () => {
    await fixture.fundSolver(1_000_000n)
    const first = await fixture.initiate(fixture.terms(200_000n))
    await expect(cancel('initiate', { fault: 'lost-lease' })).rejects.toThrow('lost-lease')
    await expect(cancel('initiate', { fault: 'dies-after-recording' })).rejects.toThrow('dies-after-recording')
    expect(await fixture.mempool()).toEqual([first])
    const tx = await cancel()
    expect(attempts().map((attempt) => attempt.tx)).toEqual([first, tx])
    expect(await fixture.mempool()).toEqual([tx])
  })

  it('bumps its own fee when it waits too long', async () => {
    await fixture.fundSolver(1_000_000n)
    await fixture.initiate(fixture.terms(200_000n))
    const slow = await cancel()
    raise()
    const fast = await cancel()
    expect(fast).not.toBe(slow)
    expect(await fixture.mempool()).toEqual([fast])
    fixture.node.mine(1)
    expect(await cancel()).toBeNull()
  })

  it('cancels again after a reorg', async () => {
    await fixture.fundSolver(1_000_000n)
    await fixture.initiate(fixture.terms(200_000n))
    const tx = await cancel()
    fixture.node.mine(1)
    fixture.node.reorg(1, { dropTransactions: true })
    expect(await cancel()).toBe(tx)
    expect(await fixture.mempool()).toEqual([tx])
  })

  it('does not cancel a payment whose change another wanted one spends, and cancels both when neither is wanted', async () => {
    await fixture.fundSolver(1_000_000n)
    const parent = await fixture.initiate(fixture.terms(200_000n, 21n), 'parent')
    const child = await fixture.initiate(fixture.terms(200_000n), 'child')
    await expect(cancel('parent')).rejects.toThrow(failure('would-fail', /spends its change/))
    expect((await fixture.mempool()).toSorted()).toEqual([parent, child].toSorted())
    fixture.solverOutbox.abandon('child')
    const tx = await cancel('parent')
    expect(await fixture.mempool()).toEqual([tx])
    expect(await cancel('child')).toBe(tx)
    fixture.node.mine(1)
    expect(await cancel('parent')).toBeNull()
    expect(await cancel('child')).toBeNull()
    expect(attempts('child')).toHaveLength(1)
  })

  it('does nothing while another action spends the same coin', async () => {
    await fixture.fundSolver(300_000n)
    await expect(fixture.initiate(fixture.terms(200_000n, 21n), 'other', { fault: 'dies-after-recording' })).rejects.toThrow()
    fixture.solverOutbox.abandon('other')
    const tx = await fixture.initiate(fixture.terms(200_000n))
    expect(await cancel('other')).toBe(tx)
    expect(await fixture.mempool()).toEqual([tx])
    fixture.node.mine(1)
    expect(await cancel('other')).toBeNull()
    expect(attempts('other')).toHaveLength(1)
  })

  it('waits for a coin that a reorg removed: the payment may be mined when the coin is back', async () => {
    const [funding] = await fixture.fundSolver(300_000n)
    const raw = await fixture.rpc<string>('getrawtransaction', funding)
    await fixture.initiate(fixture.terms(200_000n))
    fixture.node.mine(1)
    fixture.node.reorg(2, { dropTransactions: true })
    await expect(cancel()).rejects.toThrow(failure('would-fail', /cannot be cancelled now/))
    await fixture.rpc('sendrawtransaction', raw)
    const tx = await cancel()
    expect((await fixture.mempool()).toSorted()).toEqual([funding, tx].toSorted())
  })

  it('is replaced when the initiation is wanted again, which then pays once', async () => {
    await fixture.fundSolver(1_000_000n, 1_000_000n)
    const terms = fixture.terms(200_000n)
    const first = await fixture.initiate(terms)
    const back = await cancel()
    const second = await fixture.initiate(terms)
    expect([first, back]).not.toContain(second)
    expect(await fixture.mempool()).toEqual([second])
    expect(await fixture.initiate(terms)).toBe(second)
    fixture.node.mine(1)
    expect(await fixture.initiate(terms)).toBe(second)
    expect(await fixture.swapState(terms)).toMatchObject({ filledAmount: 200_000n, deposits: [{ tx: second }] })
    for (const { raw } of attempts().slice(0, 2)) await expect(fixture.rpc('sendrawtransaction', raw)).rejects.toThrow(/missingorspent/)
  })

  it('once mined does not count as the initiation, which pays from other coins only after finality', async () => {
    await fixture.fundSolver(1_000_000n, 1_000_000n)
    const terms = fixture.terms(200_000n)
    await fixture.initiate(terms)
    const back = await cancel()
    fixture.node.mine(1)
    await expect(fixture.initiate(terms)).rejects.toThrow(failure('would-fail', /could pay twice/))
    fixture.node.mine(chain.finalityBlocks)
    const tx = await fixture.initiate(terms)
    expect(tx).not.toBe(back)
    fixture.node.mine(1)
    expect(await fixture.swapState(terms)).toMatchObject({ filledAmount: 200_000n, deposits: [{ tx }] })
    expect(await cancel()).toBeNull()
  })
})

it('waits where nodes do not replace transactions', async () => {
  const fixture = await startFixture('rpc')
  try {
    await fixture.fundSolver(1_000_000n)
    const backend = createCoreBackend(fixture.node.rpcUrl, regtest)
    const execution = () => ({
      chain,
      network: { ...regtest, replaces: false },
      backend,
      ...opened(fixture.solverOutbox.open('initiate')),
      feeRate: async () => 2_000n,
      blocks: createBlocksSince(backend),
    })
    const tx = await fixture.initiate(fixture.terms(200_000n))
    await expect(cancelInitiation(execution())).rejects.toThrow(failure('would-fail', /do not support RBF/))
    expect(fixture.solverOutbox.attempts('initiate')).toHaveLength(1)
    fixture.node.mine(1)
    expect(await cancelInitiation(execution())).toBeNull()
    expect(await fixture.initiate(fixture.terms(200_000n))).toBe(tx)
  } finally {
    await fixture.node.close()
  }
})
