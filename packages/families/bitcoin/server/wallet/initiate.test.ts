// Tests initiations that are dropped, slow, reorganised or repeated, on the simulated chain.
import { opened } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { scriptOfAddress } from '../../terms/script/address.ts'
import { signWalletPayment } from '../../terms/wallet/sign.ts'
import { regtest } from '../bitcoin.fixture.ts'
import { createBlocksSince } from '../blocks/blocks-since.ts'
import { createCoreBackend } from '../nodes/core-rpc.ts'
import { initiateHtlc } from './initiate.ts'
import { chain, type Fixture, failure, startFixture } from './manual-mining.fixture.ts'

describe.each(['rpc', 'esplora'] as const)('initiating through %s', (endpoint) => {
  let fixture: Fixture
  beforeEach(async () => {
    fixture = await startFixture(endpoint)
  })
  afterEach(() => fixture.node.close())

  it('bumps the fee of an attempt that waits too long, with the same coins, and pays once', async () => {
    await fixture.fundSolver(1_000_000n)
    const terms = fixture.terms(200_000n)
    const first = await fixture.initiate(terms)
    const before = await fixture.unminedFee(first)
    fixture.solverOutbox.passSeconds(chain.feeBumpSeconds - 1n)
    expect(await fixture.initiate(terms)).toBe(first)
    fixture.solverOutbox.passSeconds(1n)
    const second = await fixture.initiate(terms)
    expect(second).not.toBe(first)
    const after = await fixture.unminedFee(second)
    expect(after.fee).toBeGreaterThanOrEqual(before.fee + after.vsize)
    expect(await fixture.mempool()).toEqual([second])
    const [one, two] = fixture.solverOutbox.attempts('initiate')
    expect(two?.slots).toEqual(one?.slots)
    fixture.node.mine(1)
    expect(await fixture.initiate(terms)).toBe(second)
    expect(await fixture.swapState(terms)).toMatchObject({ phase: 'initiated', filledAmount: 200_000n, deposits: [{ tx: second }] })
  })

  it('returns the attempt that was mined, even if it is the cheaper one', async () => {
    await fixture.fundSolver(1_000_000n)
    const terms = fixture.terms(200_000n)
    const first = await fixture.initiate(terms)
    fixture.solverOutbox.passSeconds(chain.feeBumpSeconds)
    await expect(fixture.initiate(terms, 'initiate', { fault: 'dies-after-recording' })).rejects.toThrow('dies-after-recording')
    expect(fixture.solverOutbox.attempts('initiate')).toHaveLength(2)
    expect(await fixture.initiate(terms)).toBe(first)
    fixture.node.mine(1)
    expect(await fixture.initiate(terms)).toBe(first)
    expect((await fixture.swapState(terms)).deposits).toHaveLength(1)
  })

  it('rebroadcasts a dropped transaction', async () => {
    await fixture.fundSolver(1_000_000n)
    const terms = fixture.terms(200_000n)
    fixture.node.faults.drop(1)
    const tx = await fixture.initiate(terms)
    expect(await fixture.mempool()).toEqual([])
    expect(await fixture.initiate(terms)).toBe(tx)
    expect(await fixture.mempool()).toEqual([tx])
    expect(fixture.solverOutbox.attempts('initiate')).toHaveLength(1)
  })

  it('does not touch coins that another action may still spend', async () => {
    await fixture.fundSolver(300_000n, 300_000n)
    const other = fixture.terms(200_000n, 21n)
    await expect(fixture.initiate(other, 'other', { fault: 'dies-after-recording' })).rejects.toThrow()
    const tx = await fixture.initiate(fixture.terms(200_000n))
    const [taken] = fixture.solverOutbox.attempts('other')
    expect(fixture.solverOutbox.attempts('initiate')[0]?.slots.some((slot) => taken?.slots.includes(slot))).toBe(false)
    expect(await fixture.initiate(other, 'other')).toBe(taken?.tx)
    expect((await fixture.mempool()).toSorted()).toEqual([tx, taken?.tx].toSorted())
    await expect(fixture.initiate(fixture.terms(200_000n, 22n), 'third')).rejects.toThrow(failure('would-fail', /insufficient funds/))
  })

  it('uses the coins of an unwanted action', async () => {
    await fixture.fundSolver(300_000n)
    await expect(fixture.initiate(fixture.terms(200_000n, 21n), 'other', { fault: 'dies-after-recording' })).rejects.toThrow()
    await expect(fixture.initiate(fixture.terms(200_000n))).rejects.toThrow(failure('would-fail'))
    fixture.solverOutbox.abandon('other')
    await fixture.initiate(fixture.terms(200_000n))
    expect(fixture.solverOutbox.attempts('initiate')[0]?.slots).toEqual(fixture.solverOutbox.attempts('other')[0]?.slots)
  })

  it('spends its own unconfirmed change, and then does not replace the parent', async () => {
    await fixture.fundSolver(1_000_000n)
    const parent = await fixture.initiate(fixture.terms(200_000n, 21n), 'parent')
    const child = await fixture.initiate(fixture.terms(200_000n), 'child')
    expect(fixture.solverOutbox.attempts('child')[0]?.slots).toEqual([`${parent}:1`])
    fixture.solverOutbox.passSeconds(chain.feeBumpSeconds)
    // The child may pay more for both.
    const bumped = await fixture.initiate(fixture.terms(200_000n), 'child')
    expect(bumped).not.toBe(child)
    expect((await fixture.mempool()).toSorted()).toEqual([parent, bumped].toSorted())
    expect(await fixture.initiate(fixture.terms(200_000n, 21n), 'parent')).toBe(parent)
    expect(fixture.solverOutbox.attempts('parent')).toHaveLength(1)
  })

  it('pays for a parent whose fee is too low by now when the child gets a fee bump', async () => {
    await fixture.fundSolver(1_000_000n)
    const backend = createCoreBackend(fixture.node.rpcUrl, regtest)
    const blocks = createBlocksSince(backend)
    const initiate = (key: string, timelock: bigint, feeRate: bigint) =>
      initiateHtlc(
        { chain, network: regtest, backend, ...opened(fixture.solverOutbox.open(key)), feeRate: async () => feeRate, blocks },
        fixture.terms(200_000n, timelock),
      )
    const parent = await initiate('parent', 21n, 1_000n)
    await initiate('child', 20n, 1_000n)
    fixture.solverOutbox.passSeconds(chain.feeBumpSeconds)
    const child = await initiate('child', 20n, 10_000n)
    const [one, two] = [await fixture.unminedFee(parent), await fixture.unminedFee(child)]
    // The fees are exact, except for the byte by which a signature may be shorter.
    expect(one.fee + two.fee).toBeGreaterThanOrEqual((one.vsize + two.vsize) * 10n)
    expect(one.fee + two.fee).toBeLessThanOrEqual((one.vsize + two.vsize + 2n) * 10n)
  })

  it('consolidates a few of many small coins while fees are low and there is time', async () => {
    await fixture.fundSolver(1_000_000n, ...Array.from({ length: 21 }, () => 3_000n))
    const backend = createCoreBackend(fixture.node.rpcUrl, regtest)
    const initiate = (key: string, feeRate: bigint, options = {}) =>
      initiateHtlc(
        {
          chain,
          network: regtest,
          backend,
          ...opened(fixture.solverOutbox.open(key, options)),
          feeRate: async () => feeRate,
          blocks: createBlocksSince(backend),
        },
        fixture.terms(200_000n, BigInt(20 + key.length)),
      )
    const spent = (key: string) => fixture.solverOutbox.attempts(key).map(({ slots }) => slots.length)
    for (const [key, feeRate, options] of [
      ['dear', regtest.fallbackFeeRate + 1n, {}],
      ['urgently', regtest.fallbackFeeRate, { secondsLeft: 60n }],
      ['calm', regtest.fallbackFeeRate, {}],
    ] as const) {
      await initiate(key, feeRate, options)
      fixture.node.mine(1)
    }
    expect([spent('dear'), spent('urgently'), spent('calm')]).toEqual([[1], [1], [6]])
  })

  it('does not spend change whose parent may be replaced', async () => {
    await fixture.fundSolver(1_000_000n)
    await fixture.initiate(fixture.terms(200_000n, 21n), 'parent')
    fixture.solverOutbox.passSeconds(chain.feeBumpSeconds)
    await fixture.initiate(fixture.terms(200_000n, 21n), 'parent')
    await expect(fixture.initiate(fixture.terms(200_000n))).rejects.toThrow(failure('would-fail', /insufficient funds/))
  })

  it('does not spend the output of a CPFP child, which may be replaced', async () => {
    await fixture.fundSolver(1_000_000n)
    const [coin] = await createCoreBackend(fixture.node.rpcUrl, regtest).coinsOf(fixture.client.addressOf(fixture.solver))
    if (coin === undefined) throw new Error('the solver has no coin')
    const output = { script: scriptOfAddress(fixture.client.addressOf(fixture.solver), regtest), amount: 999_000n }
    const { txid, raw } = signWalletPayment(fixture.solver, [coin], [output])
    await fixture.solverOutbox.open('other').record({ tx: txid, raw, slots: [coin.outpoint], feeRate: 9_000n })
    await fixture.rpc('sendrawtransaction', raw)
    await expect(fixture.initiate(fixture.terms(200_000n))).rejects.toThrow(failure('would-fail', /insufficient funds/))
    fixture.node.mine(1)
    expect(await fixture.mempool()).toEqual([])
    const tx = await fixture.initiate(fixture.terms(200_000n))
    expect(await fixture.mempool()).toEqual([tx])
  })

  it('waits for a coin that a reorg removed instead of paying from another', async () => {
    await fixture.fundSolver(500_000n)
    const [funding] = await fixture.fundSolver(300_000n)
    const raw = await fixture.rpc<string>('getrawtransaction', funding)
    const terms = fixture.terms(200_000n)
    const tx = await fixture.initiate(terms)
    fixture.node.mine(1)
    fixture.node.reorg(2, { dropTransactions: true })
    await expect(fixture.initiate(terms)).rejects.toThrow(failure('would-fail', /could pay twice/))
    expect(fixture.solverOutbox.attempts('initiate')).toHaveLength(1)
    await fixture.rpc('sendrawtransaction', raw)
    expect(await fixture.initiate(terms)).toBe(tx)
    fixture.node.mine(1)
    expect(await fixture.swapState(terms)).toMatchObject({ phase: 'initiated', deposits: [{ tx }] })
  })

  it('replaces a coin that a reorg removed if another coin of the attempt excludes it', async () => {
    await fixture.fundSolver(150_000n)
    const [orphan] = await fixture.fundSolver(150_000n)
    const terms = fixture.terms(200_000n)
    const first = await fixture.initiate(terms)
    fixture.node.mine(1)
    fixture.node.reorg(2, { dropTransactions: true })
    await fixture.fundSolver(160_000n)
    const second = await fixture.initiate(terms)
    expect(second).not.toBe(first)
    const [one, two] = fixture.solverOutbox.attempts('initiate')
    expect(two?.slots.filter((slot) => one?.slots.includes(slot))).toHaveLength(1)
    expect(two?.slots.some((slot) => slot.startsWith(`${orphan}:`))).toBe(false)
    fixture.node.mine(1)
    expect(await fixture.swapState(terms)).toMatchObject({ phase: 'initiated', deposits: [{ tx: second }] })
  })

  it('rebroadcasts a dropped parent of its own', async () => {
    await fixture.fundSolver(1_000_000n)
    const parent = await fixture.initiate(fixture.terms(200_000n, 21n), 'parent')
    const child = await fixture.initiate(fixture.terms(200_000n), 'child')
    fixture.node.mine(1)
    fixture.node.reorg(1, { dropTransactions: true })
    expect(await fixture.mempool()).toEqual([])
    expect(await fixture.initiate(fixture.terms(200_000n), 'child')).toBe(child)
    expect((await fixture.mempool()).toSorted()).toEqual([parent, child].toSorted())
  })

  it('pays from other coins only when its own are spent elsewhere and final', async () => {
    const [funding] = await fixture.fundSolver(300_000n)
    const terms = fixture.terms(200_000n)
    await expect(fixture.initiate(terms, 'initiate', { fault: 'dies-after-recording' })).rejects.toThrow()
    // The operator moves the same coin by hand.
    const coin = fixture.solverOutbox.attempts('initiate')[0]?.slots[0] ?? ''
    expect(coin.startsWith(`${funding}:`)).toBe(true)
    const output = { script: new Uint8Array([0x00, 0x14, ...new Uint8Array(20).fill(7)]), amount: 299_000n }
    await fixture.rpc('sendrawtransaction', signWalletPayment(fixture.solver, [{ outpoint: coin, amount: 300_000n }], [output]).raw)
    fixture.node.mine(1)
    await fixture.fundSolver(400_000n)
    await expect(fixture.initiate(terms)).rejects.toThrow(failure('would-fail', /could pay twice/))
    fixture.node.mine(chain.finalityBlocks)
    const tx = await fixture.initiate(terms)
    fixture.node.mine(1)
    expect(await fixture.swapState(terms)).toMatchObject({ phase: 'initiated', deposits: [{ tx }] })
  })

  it('fails as unreachable when the node is down, and goes on when it is back', async () => {
    await fixture.fundSolver(1_000_000n)
    const terms = fixture.terms(200_000n)
    await fixture.node.faults.setOutage('unavailable')
    await expect(fixture.initiate(terms)).rejects.toThrow(failure('unreachable'))
    await fixture.node.faults.setOutage('refused')
    await expect(fixture.initiate(terms)).rejects.toThrow(failure('unreachable'))
    await fixture.node.faults.setOutage('none')
    const tx = await fixture.initiate(terms)
    expect(await fixture.mempool()).toEqual([tx])
  })
})

it('finds its mined attempt through a node without a transaction index, when all outputs of it are spent', async () => {
  const { node, client, fundSolver, terms: termsOf, secret, solverOutbox, userOutbox, initiate } = await startFixture('rpc')
  onTestFinished(() => node.close())
  const terms = termsOf(200_000n)
  await fundSolver(1_000_000n)
  const backend = { ...createCoreBackend(node.rpcUrl, regtest), placeOf: async () => null }
  const blindly = () =>
    initiateHtlc(
      {
        chain,
        network: regtest,
        backend,
        ...opened(solverOutbox.open('initiate')),
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
})
