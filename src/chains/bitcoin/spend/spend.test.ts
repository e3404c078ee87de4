// What becomes of redeems and refunds that are slow, too dear, outbid or overtaken, on the simulated chain.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import { createSecret, hashSecret } from '../../../protocol/secret.ts'
import { createMemoryOutbox, type MemoryOutbox } from '../../testing/outbox.fixture.ts'
import { randomSigner, regtest } from '../bitcoin.fixture.ts'
import { createBlocksSince } from '../blocks/blocks-since.ts'
import { htlcOf } from '../htlc.ts'
import type { BitcoinBackend } from '../nodes/backend.ts'
import { createCoreBackend } from '../nodes/core-rpc.ts'
import { identityOf } from '../script/identity.ts'
import { parseTransaction } from '../script/transaction.ts'
import { chain, failure, type Scene, startScene } from '../wallet/manual-mining.fixture.ts'
import { signWalletPayment } from '../wallet/sign.ts'
import { refundHtlc } from './spend.ts'

describe.each(['rpc', 'esplora'] as const)('spending through %s', (endpoint) => {
  let scene: Scene
  beforeEach(async () => {
    scene = await startScene(endpoint)
  })
  afterEach(() => scene.node.close())

  const deposits = async (terms: HtlcTerms) => (await scene.look(terms)).deposits.map(({ id, amount }) => ({ id, amount }))
  const fund = async (terms: HtlcTerms, amount = terms.amount) => {
    await scene.node.faucet(scene.client.swapId(terms), amount)
    scene.node.mine(1)
    return deposits(terms)
  }
  const payout = () => scene.client.addressOf(scene.user)
  const payoutOf = (box: MemoryOutbox, key: string) => parseTransaction(box.attempts(key).at(-1)?.raw ?? '').outputs[0]?.amount ?? 0n

  it('redeems several deposits at once and raises the fee out of the payout', async () => {
    const terms = scene.terms(200_000n)
    await fund(terms, 120_000n)
    const found = await fund(terms, 80_000n)
    const redeem = () =>
      scene.client.redeem(terms, { deposits: found, to: payout(), secret: scene.secret }, scene.userOutbox.open('redeem'))
    const first = await redeem()
    const { fee } = await scene.unminedFee(first)
    expect(payoutOf(scene.userOutbox, 'redeem')).toBe(200_000n - fee)
    scene.userOutbox.passSeconds(chain.feeBumpSeconds)
    const second = await redeem()
    const after = await scene.unminedFee(second)
    expect(after.fee).toBeGreaterThanOrEqual(fee + after.vsize)
    expect(await scene.mempool()).toEqual([second])
    scene.node.mine(1)
    expect(await redeem()).toBe(second)
    expect(await scene.client.balance(terms.asset, payout())).toBe(200_000n - after.fee)
    expect(await scene.look(terms)).toMatchObject({ phase: 'redeemed', secret: scene.secret })
  })

  it('raises sooner when the time runs out, and never beyond half of the amount', async () => {
    const terms = scene.terms(20_000n)
    const found = await fund(terms)
    const redeem = () =>
      scene.client.redeem(
        terms,
        { deposits: found, to: payout(), secret: scene.secret },
        scene.userOutbox.open('redeem', { secondsLeft: 60n }),
      )
    const seen = new Set([await redeem()])
    for (let i = 0; i < 40; i++) {
      scene.userOutbox.passSeconds(chain.feeBumpSeconds / 4n + 1n)
      seen.add(await redeem())
    }
    expect(seen.size).toBeGreaterThan(5)
    expect(scene.userOutbox.attempts('redeem')).toHaveLength(seen.size)
    expect(payoutOf(scene.userOutbox, 'redeem')).toBeGreaterThanOrEqual(10_000n)
  })

  it('raises a refund sooner when it could come too late', async () => {
    const terms = scene.terms(200_000n)
    const found = await fund(terms)
    scene.node.mine(20)
    const refund = (secondsLeft?: bigint) =>
      scene.client.refund(
        terms,
        { deposits: found, to: null },
        scene.solverOutbox.open('refund', secondsLeft === undefined ? {} : { secondsLeft }),
      )
    const tx = await refund()
    scene.solverOutbox.passSeconds(chain.feeBumpSeconds / 2n)
    expect(await refund()).toBe(tx)
    const raised = await refund(chain.feeBumpSeconds)
    expect(raised).not.toBe(tx)
    expect(await scene.mempool()).toEqual([raised])
  })

  it('refuses what is not worth its fee', async () => {
    const terms = scene.terms(400n)
    const found = await fund(terms)
    await expect(scene.client.verifyPayout(terms, payout())).rejects.toThrow(failure('uneconomic'))
    await expect(
      scene.client.redeem(terms, { deposits: found, to: payout(), secret: scene.secret }, scene.userOutbox.open('redeem')),
    ).rejects.toThrow(failure('uneconomic'))
    expect(scene.userOutbox.attempts('redeem')).toEqual([])
  })

  it('refuses a key that is not the party', async () => {
    const terms = scene.terms(200_000n)
    const found = await fund(terms)
    await expect(
      scene.client.redeem(terms, { deposits: found, to: payout(), secret: scene.secret }, scene.solverOutbox.open('redeem')),
    ).rejects.toThrow(failure('would-fail'))
    await expect(scene.client.refund(terms, { deposits: found, to: null }, scene.userOutbox.open('refund'))).rejects.toThrow(
      failure('would-fail'),
    )
  })

  it('pays the own wallet when no address is given', async () => {
    const terms = scene.terms(200_000n)
    const found = await fund(terms)
    scene.node.mine(20)
    await scene.client.refund(terms, { deposits: found, to: null }, scene.solverOutbox.open('refund'))
    scene.node.mine(1)
    expect(await scene.client.balance(terms.asset, scene.client.addressOf(scene.solver))).toBe(payoutOf(scene.solverOutbox, 'refund'))
  })

  it('outbids an unmined refund, which then says that it is superseded', async () => {
    const terms = scene.terms(200_000n)
    const found = await fund(terms)
    scene.node.mine(20)
    const refund = await scene.client.refund(terms, { deposits: found, to: null }, scene.solverOutbox.open('refund'))
    expect(await scene.mempool()).toEqual([refund])
    const redeem = await scene.client.redeem(
      terms,
      { deposits: found, to: payout(), secret: scene.secret },
      scene.userOutbox.open('redeem'),
    )
    expect(await scene.mempool()).toEqual([redeem])
    await expect(scene.client.refund(terms, { deposits: found, to: null }, scene.solverOutbox.open('refund'))).rejects.toThrow(
      failure('superseded'),
    )
    scene.node.mine(1)
    await expect(scene.client.refund(terms, { deposits: found, to: null }, scene.solverOutbox.open('refund'))).rejects.toThrow(
      failure('superseded'),
    )
    expect(scene.solverOutbox.attempts('refund')).toHaveLength(1)
    expect(await scene.look(terms)).toMatchObject({ phase: 'redeemed', secret: scene.secret })
  })

  it('refunds a later deposit after an earlier one was refunded', async () => {
    const terms = scene.terms(200_000n)
    const [early] = await fund(terms, 50_000n)
    scene.node.mine(10)
    await fund(terms, 60_000n)
    scene.node.mine(10)
    const first = await scene.client.refund(
      terms,
      { deposits: early === undefined ? [] : [early], to: null },
      scene.solverOutbox.open('refund'),
    )
    scene.node.mine(1)
    const late = (await scene.look(terms)).deposits.filter((d) => d.spend === null).map(({ id, amount }) => ({ id, amount }))
    expect(late).toHaveLength(1)
    await expect(scene.client.refund(terms, { deposits: late, to: null }, scene.solverOutbox.open('refund'))).rejects.toThrow(
      failure('would-fail', /timelock/),
    )
    scene.node.mine(20)
    const second = await scene.client.refund(terms, { deposits: late, to: null }, scene.solverOutbox.open('refund'))
    expect(second).not.toBe(first)
    scene.node.mine(1)
    expect((await scene.look(terms)).phase).toBe('refunded')
  })

  it('says superseded for a deposit that a reorg took away', async () => {
    const terms = scene.terms(200_000n)
    const found = await fund(terms)
    scene.node.reorg(1, { dropTransactions: true })
    await expect(
      scene.client.redeem(terms, { deposits: found, to: payout(), secret: scene.secret }, scene.userOutbox.open('redeem')),
    ).rejects.toThrow(failure('superseded'))
  })
})

describe('refunds of many deposits', () => {
  let scene: Scene
  let feeRate: bigint
  const terms = () => scene.terms(200_000n)
  const depositsLeft = async () =>
    (await scene.look(terms())).deposits.filter((d) => d.spend?.block == null).map(({ id, amount }) => ({ id, amount }))
  const refund = async () => {
    const backend = createCoreBackend(scene.node.rpcUrl, regtest)
    const execution = {
      chain,
      network: regtest,
      backend,
      outbox: scene.solverOutbox.open('refund'),
      feeRate: async () => feeRate,
      blocks: createBlocksSince(backend),
    }
    return refundHtlc(execution, terms(), { deposits: await depositsLeft(), to: null })
  }
  const amountsTaken = (deposits: readonly { id: string; amount: bigint }[]) =>
    scene.solverOutbox
      .attempts('refund')
      .at(-1)
      ?.slots.map((slot) => deposits.find(({ id }) => id === slot)?.amount)

  /** All in one transaction, and expired. */
  const depositAll = async (amounts: readonly bigint[]) => {
    const [txid] = await scene.give(1_000_000n)
    const { script } = htlcOf(terms(), regtest)
    const vout = (await scene.rpc<{ value: number } | null>('gettxout', txid, 0, false))?.value === 0.01 ? 0 : 1
    const payment = signWalletPayment(
      scene.solver,
      [{ outpoint: `${txid}:${vout}`, amount: 1_000_000n }],
      amounts.map((amount) => ({ amount, script })),
    )
    await scene.rpc('sendrawtransaction', payment.raw, 0)
    scene.node.mine(21)
    return depositsLeft()
  }

  beforeEach(async () => {
    scene = await startScene('rpc')
    feeRate = 10_000n
  })
  afterEach(() => scene.node.close())

  it('leave those that are not worth their own input, until they are', async () => {
    const deposits = await depositAll([400n, 200_000n, 400n, 400n])
    await refund()
    expect(amountsTaken(deposits)).toEqual([200_000n])
    scene.node.mine(1)
    await expect(refund()).rejects.toThrow(failure('uneconomic'))
    feeRate = 1_000n
    await refund()
    expect(amountsTaken(deposits)).toEqual([400n, 400n, 400n])
    scene.node.mine(1)
    expect((await scene.look(terms())).phase).toBe('refunded')
  })

  it('drop from a raise what it makes worthless, and take that later at its own price', async () => {
    feeRate = 1_000n
    const deposits = await depositAll([400n, 200_000n, 400n, 400n])
    const first = await refund()
    expect(amountsTaken(deposits)).toHaveLength(4)
    const { fee } = await scene.unminedFee(first)
    feeRate = 10_000n
    scene.solverOutbox.passSeconds(chain.feeBumpSeconds)
    const second = await refund()
    expect(amountsTaken(deposits)).toEqual([200_000n])
    expect(await scene.mempool()).toEqual([second])
    expect((await scene.unminedFee(second)).fee).toBeGreaterThan(fee)
    scene.node.mine(1)
    scene.solverOutbox.passSeconds(chain.feeBumpSeconds)
    feeRate = 1_000n
    const third = await refund()
    expect(amountsTaken(deposits)).toEqual([400n, 400n, 400n])
    expect((await scene.unminedFee(third)).fee).toBeLessThan(fee)
  })
})

it('refunds a hundred deposits in one transaction, the largest first, and the rest in the next', async () => {
  const signer = randomSigner()
  const box = createMemoryOutbox(signer)
  const terms = {
    asset: chain.nativeAsset,
    initiator: identityOf(signer),
    redeemer: identityOf(randomSigner()),
    amount: 200_000n,
    secretHash: hashSecret(createSecret()),
    timelock: 20n,
  }
  const deposits = Array.from({ length: 102 }, (_, i) => ({ id: `${'ab'.repeat(32)}:${i}`, amount: 2_000n + BigInt(i) }))
  let place: 'mempool' | 'block' = 'mempool'
  const answers: Pick<BitcoinBackend, 'tip' | 'placeOf' | 'output' | 'broadcast'> = {
    tip: async () => ({ height: 100n, hash: 'aa'.repeat(32), parentHash: 'bb'.repeat(32), time: 1_700_000_000n }),
    placeOf: async () => place,
    output: async () => ({ state: 'unspent', confirmations: terms.timelock }),
    broadcast: async () => ({ accepted: true }),
  }
  // Nothing else of a node is asked for here.
  const backend = answers as BitcoinBackend
  const refund = (left: typeof deposits) => {
    const execution = {
      chain,
      network: regtest,
      backend,
      outbox: box.open('refund'),
      feeRate: async () => 2_000n,
      blocks: createBlocksSince(backend),
    }
    return refundHtlc(execution, terms, { deposits: left, to: null })
  }
  const ids = (some: typeof deposits) => some.map(({ id }) => id)
  const first = await refund(deposits)
  expect(box.attempts('refund')[0]?.slots).toEqual(ids(deposits.toReversed().slice(0, 100)))
  expect(box.attempts('refund')).toHaveLength(1)
  expect(await refund(deposits)).toBe(first)
  expect(box.attempts('refund')[1]?.slots).toEqual(ids(deposits.slice(0, 2).toReversed()))
  expect(await refund(deposits)).toBe(first)
  expect(box.attempts('refund')).toHaveLength(2)
  place = 'block'
  expect(await refund(deposits.slice(0, 2))).toBe(box.attempts('refund')[1]?.tx)
})
