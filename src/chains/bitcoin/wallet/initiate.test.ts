// What becomes of initiations that are lost, slow, orphaned or asked for twice, on the simulated chain.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { regtest } from '../bitcoin.fixture.ts'
import { createBlocksSince } from '../blocks/blocks-since.ts'
import { createCoreBackend } from '../nodes/core-rpc.ts'
import { scriptOfAddress } from '../script/address.ts'
import { initiateHtlc } from './initiate.ts'
import { chain, failure, type Scene, startScene } from './manual-mining.fixture.ts'
import { signWalletPayment } from './sign.ts'

describe.each(['rpc', 'esplora'] as const)('initiating through %s', (endpoint) => {
  let scene: Scene
  beforeEach(async () => {
    scene = await startScene(endpoint)
  })
  afterEach(() => scene.node.close())

  it('raises the fee of what waits too long, over the same coins, and pays once', async () => {
    await scene.give(1_000_000n)
    const terms = scene.terms(200_000n)
    const first = await scene.initiate(terms)
    const before = await scene.unminedFee(first)
    scene.solverOutbox.passSeconds(chain.feeBumpSeconds - 1n)
    expect(await scene.initiate(terms)).toBe(first)
    scene.solverOutbox.passSeconds(1n)
    const second = await scene.initiate(terms)
    expect(second).not.toBe(first)
    const after = await scene.unminedFee(second)
    expect(after.fee).toBeGreaterThanOrEqual(before.fee + after.vsize)
    expect(await scene.mempool()).toEqual([second])
    const [one, two] = scene.solverOutbox.attempts('initiate')
    expect(two?.slots).toEqual(one?.slots)
    scene.node.mine(1)
    expect(await scene.initiate(terms)).toBe(second)
    expect(await scene.look(terms)).toMatchObject({ phase: 'initiated', filledAmount: 200_000n, deposits: [{ tx: second }] })
  })

  it('returns the attempt that was mined, even if it is the cheaper one', async () => {
    await scene.give(1_000_000n)
    const terms = scene.terms(200_000n)
    const first = await scene.initiate(terms)
    scene.solverOutbox.passSeconds(chain.feeBumpSeconds)
    await expect(scene.initiate(terms, 'initiate', { fault: 'dies-after-recording' })).rejects.toThrow('dies-after-recording')
    expect(scene.solverOutbox.attempts('initiate')).toHaveLength(2)
    expect(await scene.initiate(terms)).toBe(first)
    scene.node.mine(1)
    expect(await scene.initiate(terms)).toBe(first)
    expect((await scene.look(terms)).deposits).toHaveLength(1)
  })

  it('sends again what a node swallowed', async () => {
    await scene.give(1_000_000n)
    const terms = scene.terms(200_000n)
    scene.node.faults.drop(1)
    const tx = await scene.initiate(terms)
    expect(await scene.mempool()).toEqual([])
    expect(await scene.initiate(terms)).toBe(tx)
    expect(await scene.mempool()).toEqual([tx])
    expect(scene.solverOutbox.attempts('initiate')).toHaveLength(1)
  })

  it('does not touch coins that another action may still spend', async () => {
    await scene.give(300_000n, 300_000n)
    const other = scene.terms(200_000n, 21n)
    await expect(scene.initiate(other, 'other', { fault: 'dies-after-recording' })).rejects.toThrow()
    const tx = await scene.initiate(scene.terms(200_000n))
    const [taken] = scene.solverOutbox.attempts('other')
    expect(scene.solverOutbox.attempts('initiate')[0]?.slots.some((slot) => taken?.slots.includes(slot))).toBe(false)
    expect(await scene.initiate(other, 'other')).toBe(taken?.tx)
    expect((await scene.mempool()).toSorted()).toEqual([tx, taken?.tx].toSorted())
    await expect(scene.initiate(scene.terms(200_000n, 22n), 'third')).rejects.toThrow(failure('would-fail', /insufficient funds/))
  })

  it('takes the coins of an action that nobody wants any more', async () => {
    await scene.give(300_000n)
    await expect(scene.initiate(scene.terms(200_000n, 21n), 'other', { fault: 'dies-after-recording' })).rejects.toThrow()
    await expect(scene.initiate(scene.terms(200_000n))).rejects.toThrow(failure('would-fail'))
    scene.solverOutbox.abandon('other')
    await scene.initiate(scene.terms(200_000n))
    expect(scene.solverOutbox.attempts('initiate')[0]?.slots).toEqual(scene.solverOutbox.attempts('other')[0]?.slots)
  })

  it('spends its own unmined change, and then does not replace the parent', async () => {
    await scene.give(1_000_000n)
    const parent = await scene.initiate(scene.terms(200_000n, 21n), 'parent')
    const child = await scene.initiate(scene.terms(200_000n), 'child')
    expect(scene.solverOutbox.attempts('child')[0]?.slots).toEqual([`${parent}:1`])
    scene.solverOutbox.passSeconds(chain.feeBumpSeconds)
    // The child is free to pay more for both.
    const bumped = await scene.initiate(scene.terms(200_000n), 'child')
    expect(bumped).not.toBe(child)
    expect((await scene.mempool()).toSorted()).toEqual([parent, bumped].toSorted())
    expect(await scene.initiate(scene.terms(200_000n, 21n), 'parent')).toBe(parent)
    expect(scene.solverOutbox.attempts('parent')).toHaveLength(1)
  })

  it('pays for a parent that has become too cheap when the child is raised', async () => {
    await scene.give(1_000_000n)
    const backend = createCoreBackend(scene.node.rpcUrl, regtest)
    const blocks = createBlocksSince(backend)
    const initiate = (key: string, timelock: bigint, feeRate: bigint) =>
      initiateHtlc(
        { chain, network: regtest, backend, outbox: scene.solverOutbox.open(key), feeRate: async () => feeRate, blocks },
        scene.terms(200_000n, timelock),
      )
    const parent = await initiate('parent', 21n, 1_000n)
    await initiate('child', 20n, 1_000n)
    scene.solverOutbox.passSeconds(chain.feeBumpSeconds)
    const child = await initiate('child', 20n, 10_000n)
    const [one, two] = [await scene.unminedFee(parent), await scene.unminedFee(child)]
    // To the satoshi, but for the byte that a signature may be shorter.
    expect(one.fee + two.fee).toBeGreaterThanOrEqual((one.vsize + two.vsize) * 10n)
    expect(one.fee + two.fee).toBeLessThanOrEqual((one.vsize + two.vsize + 2n) * 10n)
  })

  it('puts a few of many small coins together while fees are low and there is time', async () => {
    await scene.give(1_000_000n, ...Array.from({ length: 21 }, () => 3_000n))
    const backend = createCoreBackend(scene.node.rpcUrl, regtest)
    const initiate = (key: string, feeRate: bigint, options = {}) =>
      initiateHtlc(
        {
          chain,
          network: regtest,
          backend,
          outbox: scene.solverOutbox.open(key, options),
          feeRate: async () => feeRate,
          blocks: createBlocksSince(backend),
        },
        scene.terms(200_000n, BigInt(20 + key.length)),
      )
    const spent = (key: string) => scene.solverOutbox.attempts(key).map(({ slots }) => slots.length)
    for (const [key, feeRate, options] of [
      ['dear', regtest.fallbackFeeRate + 1n, {}],
      ['urgently', regtest.fallbackFeeRate, { secondsLeft: 60n }],
      ['calm', regtest.fallbackFeeRate, {}],
    ] as const) {
      await initiate(key, feeRate, options)
      scene.node.mine(1)
    }
    expect([spent('dear'), spent('urgently'), spent('calm')]).toEqual([[1], [1], [6]])
  })

  it('does not build on change that a replacement of its parent would take away', async () => {
    await scene.give(1_000_000n)
    await scene.initiate(scene.terms(200_000n, 21n), 'parent')
    scene.solverOutbox.passSeconds(chain.feeBumpSeconds)
    await scene.initiate(scene.terms(200_000n, 21n), 'parent')
    await expect(scene.initiate(scene.terms(200_000n))).rejects.toThrow(failure('would-fail', /insufficient funds/))
  })

  it('does not build on a child that only pays for its parent, and may be replaced', async () => {
    await scene.give(1_000_000n)
    const [coin] = await createCoreBackend(scene.node.rpcUrl, regtest).coinsOf(scene.client.addressOf(scene.solver))
    if (coin === undefined) throw new Error('the solver has a coin')
    const home = { script: scriptOfAddress(scene.client.addressOf(scene.solver), regtest), amount: 999_000n }
    const { txid, raw } = signWalletPayment(scene.solver, [coin], [home])
    await scene.solverOutbox.open('other').record({ tx: txid, raw, slots: [coin.outpoint], feeRate: 9_000n })
    await scene.rpc('sendrawtransaction', raw)
    await expect(scene.initiate(scene.terms(200_000n))).rejects.toThrow(failure('would-fail', /insufficient funds/))
    scene.node.mine(1)
    expect(await scene.mempool()).toEqual([])
    const tx = await scene.initiate(scene.terms(200_000n))
    expect(await scene.mempool()).toEqual([tx])
  })

  it('waits for a coin that a reorg took away instead of paying from another', async () => {
    await scene.give(500_000n)
    const [funding] = await scene.give(300_000n)
    const raw = await scene.rpc<string>('getrawtransaction', funding)
    const terms = scene.terms(200_000n)
    const tx = await scene.initiate(terms)
    scene.node.mine(1)
    scene.node.reorg(2, { dropTransactions: true })
    await expect(scene.initiate(terms)).rejects.toThrow(failure('would-fail', /could pay twice/))
    expect(scene.solverOutbox.attempts('initiate')).toHaveLength(1)
    await scene.rpc('sendrawtransaction', raw)
    expect(await scene.initiate(terms)).toBe(tx)
    scene.node.mine(1)
    expect(await scene.look(terms)).toMatchObject({ phase: 'initiated', deposits: [{ tx }] })
  })

  it('replaces an orphaned coin if another of the attempt is still there to exclude it', async () => {
    await scene.give(150_000n)
    const [orphan] = await scene.give(150_000n)
    const terms = scene.terms(200_000n)
    const first = await scene.initiate(terms)
    scene.node.mine(1)
    scene.node.reorg(2, { dropTransactions: true })
    await scene.give(160_000n)
    const second = await scene.initiate(terms)
    expect(second).not.toBe(first)
    const [one, two] = scene.solverOutbox.attempts('initiate')
    expect(two?.slots.filter((slot) => one?.slots.includes(slot))).toHaveLength(1)
    expect(two?.slots.some((slot) => slot.startsWith(`${orphan}:`))).toBe(false)
    scene.node.mine(1)
    expect(await scene.look(terms)).toMatchObject({ phase: 'initiated', deposits: [{ tx: second }] })
  })

  it('sends a lost parent of its own again', async () => {
    await scene.give(1_000_000n)
    const parent = await scene.initiate(scene.terms(200_000n, 21n), 'parent')
    const child = await scene.initiate(scene.terms(200_000n), 'child')
    scene.node.mine(1)
    scene.node.reorg(1, { dropTransactions: true })
    expect(await scene.mempool()).toEqual([])
    expect(await scene.initiate(scene.terms(200_000n), 'child')).toBe(child)
    expect((await scene.mempool()).toSorted()).toEqual([parent, child].toSorted())
  })

  it('pays from other coins only when its own were spent elsewhere for good', async () => {
    const [funding] = await scene.give(300_000n)
    const terms = scene.terms(200_000n)
    await expect(scene.initiate(terms, 'initiate', { fault: 'dies-after-recording' })).rejects.toThrow()
    // The operator moves the same coin by hand.
    const coin = scene.solverOutbox.attempts('initiate')[0]?.slots[0] ?? ''
    expect(coin.startsWith(`${funding}:`)).toBe(true)
    const home = { script: new Uint8Array([0x00, 0x14, ...new Uint8Array(20).fill(7)]), amount: 299_000n }
    await scene.rpc('sendrawtransaction', signWalletPayment(scene.solver, [{ outpoint: coin, amount: 300_000n }], [home]).raw)
    scene.node.mine(1)
    await scene.give(400_000n)
    await expect(scene.initiate(terms)).rejects.toThrow(failure('would-fail', /could pay twice/))
    scene.node.mine(chain.finalityBlocks)
    const tx = await scene.initiate(terms)
    scene.node.mine(1)
    expect(await scene.look(terms)).toMatchObject({ phase: 'initiated', deposits: [{ tx }] })
  })

  it('says unreachable when the node is away, and goes on when it is back', async () => {
    await scene.give(1_000_000n)
    const terms = scene.terms(200_000n)
    await scene.node.faults.setOutage('unavailable')
    await expect(scene.initiate(terms)).rejects.toThrow(failure('unreachable'))
    await scene.node.faults.setOutage('refused')
    await expect(scene.initiate(terms)).rejects.toThrow(failure('unreachable'))
    await scene.node.faults.setOutage('none')
    const tx = await scene.initiate(terms)
    expect(await scene.mempool()).toEqual([tx])
  })
})

it('finds its mined attempt through a node without a transaction index, when all outputs of it are spent', async () => {
  const { node, client, give, terms: termsOf, secret, solverOutbox, userOutbox, initiate } = await startScene('rpc')
  try {
    const terms = termsOf(200_000n)
    await give(1_000_000n)
    const backend = { ...createCoreBackend(node.rpcUrl, regtest), placeOf: async () => null }
    const blindly = () =>
      initiateHtlc(
        {
          chain,
          network: regtest,
          backend,
          outbox: solverOutbox.open('initiate'),
          feeRate: async () => 2_000n,
          blocks: createBlocksSince(backend),
        },
        terms,
      )
    const tx = await blindly()
    node.mine(1)
    await client.redeem(terms, { deposits: [{ id: `${tx}:0`, amount: 200_000n }], to: null, secret }, userOutbox.open('redeem'))
    await initiate(termsOf(200_000n, 21n), 'other')
    node.mine(1)
    expect(await blindly()).toBe(tx)
    expect(solverOutbox.attempts('initiate')).toHaveLength(1)
  } finally {
    await node.close()
  }
})
