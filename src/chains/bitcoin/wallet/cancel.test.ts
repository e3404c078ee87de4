// How initiations are called back, and what happens when they are wanted after all, on the simulated chain.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OutboxFault } from '../../testing/outbox.fixture.ts'
import { regtest } from '../bitcoin.fixture.ts'
import { createBlocksSince } from '../blocks/blocks-since.ts'
import { createCoreBackend } from '../nodes/core-rpc.ts'
import { cancelInitiation } from './cancel.ts'
import { chain, failure, type Scene, startScene } from './manual-mining.fixture.ts'

describe.each(['rpc', 'esplora'] as const)('calling back through %s', (endpoint) => {
  let scene: Scene
  beforeEach(async () => {
    scene = await startScene(endpoint)
  })
  afterEach(() => scene.node.close())

  const cancel = (key = 'initiate', options: { readonly fault?: OutboxFault } = {}) => {
    if (scene.client.cancel === undefined) throw new Error('the Bitcoin family can call back')
    return scene.client.cancel(scene.solverOutbox.open(key, options))
  }
  const attempts = (key = 'initiate') => scene.solverOutbox.attempts(key)
  const balance = () => scene.client.balance(chain.nativeAsset, scene.client.addressOf(scene.solver))
  const raise = () => scene.solverOutbox.passSeconds(chain.feeBumpSeconds)

  it('takes the coins home, once, and then says that it is over', async () => {
    await scene.give(1_000_000n)
    const terms = scene.terms(200_000n)
    await scene.initiate(terms)
    const tx = await cancel()
    expect(tx).not.toBeNull()
    expect(await scene.mempool()).toEqual([tx])
    expect(await cancel()).toBe(tx)
    expect(attempts()).toHaveLength(2)
    const { fee } = await scene.unminedFee(tx ?? '')
    scene.node.mine(1)
    expect(await cancel()).toBeNull()
    expect(attempts()).toHaveLength(2)
    expect((await scene.look(terms)).deposits).toEqual([])
    expect(await balance()).toBe(1_000_000n - fee)
  })

  it('has nothing to do when nothing was signed, or when it is mined', async () => {
    expect(await cancel()).toBeNull()
    await scene.give(1_000_000n)
    const terms = scene.terms(200_000n)
    await scene.initiate(terms)
    scene.node.mine(1)
    expect(await cancel()).toBeNull()
    expect(attempts()).toHaveLength(1)
    expect((await scene.look(terms)).deposits).toHaveLength(1)
  })

  it('excludes everything that was signed, sent or not', async () => {
    await scene.give(210_000n, 300_000n)
    const terms = scene.terms(200_000n)
    await scene.initiate(terms)
    raise()
    await expect(scene.initiate(terms, 'initiate', { fault: 'dies-after-recording' })).rejects.toThrow()
    const tx = await cancel()
    const [one, two, callback] = attempts()
    for (const payment of [one, two]) expect(callback?.slots.some((slot) => payment?.slots.includes(slot))).toBe(true)
    scene.node.mine(1)
    expect(await cancel()).toBeNull()
    for (const payment of [one, two]) await expect(scene.rpc('sendrawtransaction', payment?.raw)).rejects.toThrow(/missingorspent/)
    expect(callback?.tx).toBe(tx)
  })

  it('is recorded before it is sent, and sent again unchanged', async () => {
    await scene.give(1_000_000n)
    const first = await scene.initiate(scene.terms(200_000n))
    await expect(cancel('initiate', { fault: 'lost-lease' })).rejects.toThrow('lost-lease')
    await expect(cancel('initiate', { fault: 'dies-after-recording' })).rejects.toThrow('dies-after-recording')
    expect(await scene.mempool()).toEqual([first])
    const tx = await cancel()
    expect(attempts().map((attempt) => attempt.tx)).toEqual([first, tx])
    expect(await scene.mempool()).toEqual([tx])
  })

  it('raises its fee when it waits too long itself', async () => {
    await scene.give(1_000_000n)
    await scene.initiate(scene.terms(200_000n))
    const slow = await cancel()
    raise()
    const fast = await cancel()
    expect(fast).not.toBe(slow)
    expect(await scene.mempool()).toEqual([fast])
    scene.node.mine(1)
    expect(await cancel()).toBeNull()
  })

  it('does it again when a reorg undoes it', async () => {
    await scene.give(1_000_000n)
    await scene.initiate(scene.terms(200_000n))
    const tx = await cancel()
    scene.node.mine(1)
    scene.node.reorg(1, { dropTransactions: true })
    expect(await cancel()).toBe(tx)
    expect(await scene.mempool()).toEqual([tx])
  })

  it('leaves a payment alone whose change another wanted one spends, and takes both when neither is wanted', async () => {
    await scene.give(1_000_000n)
    const parent = await scene.initiate(scene.terms(200_000n, 21n), 'parent')
    const child = await scene.initiate(scene.terms(200_000n), 'child')
    await expect(cancel('parent')).rejects.toThrow(failure('would-fail', /spends its change/))
    expect((await scene.mempool()).toSorted()).toEqual([parent, child].toSorted())
    scene.solverOutbox.abandon('child')
    const tx = await cancel('parent')
    expect(await scene.mempool()).toEqual([tx])
    expect(await cancel('child')).toBe(tx)
    scene.node.mine(1)
    expect(await cancel('parent')).toBeNull()
    expect(await cancel('child')).toBeNull()
    expect(attempts('child')).toHaveLength(1)
  })

  it('leaves it to another action that spends the same coin', async () => {
    await scene.give(300_000n)
    await expect(scene.initiate(scene.terms(200_000n, 21n), 'other', { fault: 'dies-after-recording' })).rejects.toThrow()
    scene.solverOutbox.abandon('other')
    const tx = await scene.initiate(scene.terms(200_000n))
    expect(await cancel('other')).toBe(tx)
    expect(await scene.mempool()).toEqual([tx])
    scene.node.mine(1)
    expect(await cancel('other')).toBeNull()
    expect(attempts('other')).toHaveLength(1)
  })

  it('waits for a coin that a reorg took away, for with it the payment may come back', async () => {
    const [funding] = await scene.give(300_000n)
    const raw = await scene.rpc<string>('getrawtransaction', funding)
    await scene.initiate(scene.terms(200_000n))
    scene.node.mine(1)
    scene.node.reorg(2, { dropTransactions: true })
    await expect(cancel()).rejects.toThrow(failure('would-fail', /cannot be called back now/))
    await scene.rpc('sendrawtransaction', raw)
    const tx = await cancel()
    expect((await scene.mempool()).toSorted()).toEqual([funding, tx].toSorted())
  })

  it('gives way when the initiation is wanted after all, which then is one payment', async () => {
    await scene.give(1_000_000n, 1_000_000n)
    const terms = scene.terms(200_000n)
    const first = await scene.initiate(terms)
    const back = await cancel()
    const second = await scene.initiate(terms)
    expect([first, back]).not.toContain(second)
    expect(await scene.mempool()).toEqual([second])
    expect(await scene.initiate(terms)).toBe(second)
    scene.node.mine(1)
    expect(await scene.initiate(terms)).toBe(second)
    expect(await scene.look(terms)).toMatchObject({ filledAmount: 200_000n, deposits: [{ tx: second }] })
    for (const { raw } of attempts().slice(0, 2)) await expect(scene.rpc('sendrawtransaction', raw)).rejects.toThrow(/missingorspent/)
  })

  it('once mined is not taken for the initiation, and not paid past before it is final', async () => {
    await scene.give(1_000_000n, 1_000_000n)
    const terms = scene.terms(200_000n)
    await scene.initiate(terms)
    const back = await cancel()
    scene.node.mine(1)
    await expect(scene.initiate(terms)).rejects.toThrow(failure('would-fail', /could pay twice/))
    scene.node.mine(chain.finalityBlocks)
    const tx = await scene.initiate(terms)
    expect(tx).not.toBe(back)
    scene.node.mine(1)
    expect(await scene.look(terms)).toMatchObject({ filledAmount: 200_000n, deposits: [{ tx }] })
    expect(await cancel()).toBeNull()
  })
})

it('waits where nodes replace nothing, instead of signing what they refuse', async () => {
  const scene = await startScene('rpc')
  try {
    await scene.give(1_000_000n)
    const backend = createCoreBackend(scene.node.rpcUrl, regtest)
    const execution = () => ({
      chain,
      network: { ...regtest, replaces: false },
      backend,
      outbox: scene.solverOutbox.open('initiate'),
      feeRate: async () => 2_000n,
      blocks: createBlocksSince(backend),
    })
    const tx = await scene.initiate(scene.terms(200_000n))
    await expect(cancelInitiation(execution())).rejects.toThrow(failure('would-fail', /replace no transaction/))
    expect(scene.solverOutbox.attempts('initiate')).toHaveLength(1)
    scene.node.mine(1)
    expect(await cancelInitiation(execution())).toBeNull()
    expect(await scene.initiate(scene.terms(200_000n))).toBe(tx)
  } finally {
    await scene.node.close()
  }
})
