// Tests redeems and refunds that are slow, too expensive, outbid or superseded, on the simulated chain.
import { createMemoryOutbox, type MemoryOutbox, opened } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { htlcOf } from '../../terms/htlc.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { signWalletPayment } from '../../terms/wallet/sign.ts'
import { randomSigner, regtest } from '../bitcoin.fixture.ts'
import { createBlocksSince } from '../blocks/blocks-since.ts'
import type { BitcoinBackend } from '../nodes/backend.ts'
import { createCoreBackend } from '../nodes/core-rpc.ts'
import { parseTransaction } from '../script/transaction.ts'
import { chain, type Fixture, failure, startFixture } from '../wallet/manual-mining.fixture.ts'
import { refundHtlc } from './spend.ts'

describe.each(['rpc', 'esplora'] as const)('spending through %s', (endpoint) => {
  let fixture: Fixture
  beforeEach(async () => {
    fixture = await startFixture(endpoint)
  })
  afterEach(() => fixture.node.close())

  const deposits = async (terms: HtlcTerms) => (await fixture.swapState(terms)).deposits.map(({ id, amount }) => ({ id, amount }))
  const fund = async (terms: HtlcTerms, amount = terms.amount) => {
    await fixture.node.faucet(fixture.client.swapId(terms), amount)
    fixture.node.mine(1)
    return deposits(terms)
  }
  const payout = () => fixture.client.addressOf(fixture.user)
  const payoutOf = (box: MemoryOutbox, key: string) => parseTransaction(box.attempts(key).at(-1)?.raw ?? '').outputs[0]?.amount ?? 0n

  it('redeems several deposits together, and fee bumps come out of the payout', async () => {
    const terms = fixture.terms(200_000n)
    await fund(terms, 120_000n)
    const found = await fund(terms, 80_000n)
    const redeem = () =>
      fixture.client.redeem(terms, { deposits: found, to: payout(), secret: fixture.secret }, fixture.userOutbox.open('redeem'))
    const first = await redeem()
    const { fee } = await fixture.unminedFee(first)
    expect(payoutOf(fixture.userOutbox, 'redeem')).toBe(200_000n - fee)
    fixture.userOutbox.passSeconds(chain.feeBumpSeconds)
    const second = await redeem()
    const after = await fixture.unminedFee(second)
    expect(after.fee).toBeGreaterThanOrEqual(fee + after.vsize)
    expect(await fixture.mempool()).toEqual([second])
    fixture.node.mine(1)
    expect(await redeem()).toBe(second)
    expect(await fixture.client.balance(terms.asset, payout())).toBe(200_000n - after.fee)
    expect(await fixture.swapState(terms)).toMatchObject({ phase: 'redeemed', secret: fixture.secret })
  })

  it('bumps the fee sooner when time runs out, and never beyond half of the amount', async () => {
    const terms = fixture.terms(20_000n)
    const found = await fund(terms)
    const redeem = () =>
      fixture.client.redeem(
        terms,
        { deposits: found, to: payout(), secret: fixture.secret },
        fixture.userOutbox.open('redeem', { secondsLeft: 60n }),
      )
    const seen = new Set([await redeem()])
    for (let i = 0; i < 40; i++) {
      fixture.userOutbox.passSeconds(chain.feeBumpSeconds / 4n + 1n)
      seen.add(await redeem())
    }
    expect(seen.size).toBeGreaterThan(5)
    expect(fixture.userOutbox.attempts('redeem')).toHaveLength(seen.size)
    expect(payoutOf(fixture.userOutbox, 'redeem')).toBeGreaterThanOrEqual(10_000n)
  })

  it('bumps the fee of a refund sooner when it could miss its deadline', async () => {
    const terms = fixture.terms(200_000n)
    const found = await fund(terms)
    fixture.node.mine(20)
    const refund = (secondsLeft?: bigint) =>
      fixture.client.refund(
        terms,
        { deposits: found, to: null },
        fixture.solverOutbox.open('refund', secondsLeft === undefined ? {} : { secondsLeft }),
      )
    const tx = await refund()
    fixture.solverOutbox.passSeconds(chain.feeBumpSeconds / 2n)
    expect(await refund()).toBe(tx)
    const raised = await refund(chain.feeBumpSeconds)
    expect(raised).not.toBe(tx)
    expect(await fixture.mempool()).toEqual([raised])
  })

  it('refuses a deposit that is not worth its fee', async () => {
    const terms = fixture.terms(400n)
    const found = await fund(terms)
    await expect(fixture.client.verifyPayout(terms, payout())).rejects.toThrow(failure('uneconomic'))
    await expect(
      fixture.client.redeem(terms, { deposits: found, to: payout(), secret: fixture.secret }, fixture.userOutbox.open('redeem')),
    ).rejects.toThrow(failure('uneconomic'))
    expect(fixture.userOutbox.attempts('redeem')).toEqual([])
  })

  it('refuses the key of another party', async () => {
    const terms = fixture.terms(200_000n)
    const found = await fund(terms)
    await expect(
      fixture.client.redeem(terms, { deposits: found, to: payout(), secret: fixture.secret }, fixture.solverOutbox.open('redeem')),
    ).rejects.toThrow(failure('would-fail'))
    await expect(fixture.client.refund(terms, { deposits: found, to: null }, fixture.userOutbox.open('refund'))).rejects.toThrow(
      failure('would-fail'),
    )
  })

  it('pays the own wallet when no address is given', async () => {
    const terms = fixture.terms(200_000n)
    const found = await fund(terms)
    fixture.node.mine(20)
    await fixture.client.refund(terms, { deposits: found, to: null }, fixture.solverOutbox.open('refund'))
    fixture.node.mine(1)
    expect(await fixture.client.balance(terms.asset, fixture.client.addressOf(fixture.solver))).toBe(
      payoutOf(fixture.solverOutbox, 'refund'),
    )
  })

  it('outbids an unconfirmed refund, which then fails as superseded', async () => {
    const terms = fixture.terms(200_000n)
    const found = await fund(terms)
    fixture.node.mine(20)
    const refund = await fixture.client.refund(terms, { deposits: found, to: null }, fixture.solverOutbox.open('refund'))
    expect(await fixture.mempool()).toEqual([refund])
    const redeem = await fixture.client.redeem(
      terms,
      { deposits: found, to: payout(), secret: fixture.secret },
      fixture.userOutbox.open('redeem'),
    )
    expect(await fixture.mempool()).toEqual([redeem])
    await expect(fixture.client.refund(terms, { deposits: found, to: null }, fixture.solverOutbox.open('refund'))).rejects.toThrow(
      failure('superseded'),
    )
    fixture.node.mine(1)
    await expect(fixture.client.refund(terms, { deposits: found, to: null }, fixture.solverOutbox.open('refund'))).rejects.toThrow(
      failure('superseded'),
    )
    expect(fixture.solverOutbox.attempts('refund')).toHaveLength(1)
    expect(await fixture.swapState(terms)).toMatchObject({ phase: 'redeemed', secret: fixture.secret })
  })

  it('refunds a later deposit after an earlier one was refunded', async () => {
    const terms = fixture.terms(200_000n)
    const [early] = await fund(terms, 50_000n)
    fixture.node.mine(10)
    await fund(terms, 60_000n)
    fixture.node.mine(10)
    const first = await fixture.client.refund(
      terms,
      { deposits: early === undefined ? [] : [early], to: null },
      fixture.solverOutbox.open('refund'),
    )
    fixture.node.mine(1)
    const late = (await fixture.swapState(terms)).deposits.filter((d) => d.spend === null).map(({ id, amount }) => ({ id, amount }))
    expect(late).toHaveLength(1)
    await expect(fixture.client.refund(terms, { deposits: late, to: null }, fixture.solverOutbox.open('refund'))).rejects.toThrow(
      failure('would-fail', /timelock/),
    )
    fixture.node.mine(20)
    const second = await fixture.client.refund(terms, { deposits: late, to: null }, fixture.solverOutbox.open('refund'))
    expect(second).not.toBe(first)
    fixture.node.mine(1)
    expect((await fixture.swapState(terms)).phase).toBe('refunded')
  })

  it('fails as superseded for a deposit that a reorg removed', async () => {
    const terms = fixture.terms(200_000n)
    const found = await fund(terms)
    fixture.node.reorg(1, { dropTransactions: true })
    await expect(
      fixture.client.redeem(terms, { deposits: found, to: payout(), secret: fixture.secret }, fixture.userOutbox.open('redeem')),
    ).rejects.toThrow(failure('superseded'))
  })
})

describe('refunds of many deposits', () => {
  let fixture: Fixture
  let feeRate: bigint
  const terms = () => fixture.terms(200_000n)
  const depositsLeft = async () =>
    (await fixture.swapState(terms())).deposits.filter((d) => d.spend?.block == null).map(({ id, amount }) => ({ id, amount }))
  const refund = async () => {
    const backend = createCoreBackend(fixture.node.rpcUrl, regtest)
    const execution = {
      chain,
      network: regtest,
      backend,
      ...opened(fixture.solverOutbox.open('refund')),
      feeRate: async () => feeRate,
      blocks: createBlocksSince(backend),
    }
    return refundHtlc(execution, terms(), { deposits: await depositsLeft(), to: null })
  }
  const amountsTaken = (deposits: readonly { id: string; amount: bigint }[]) =>
    fixture.solverOutbox
      .attempts('refund')
      .at(-1)
      ?.slots.map((slot) => deposits.find(({ id }) => id === slot)?.amount)

  const depositAll = async (amounts: readonly bigint[]) => {
    const [txid] = await fixture.fundSolver(1_000_000n)
    const { script } = htlcOf(terms(), regtest)
    const vout = (await fixture.rpc<{ value: number } | null>('gettxout', txid, 0, false))?.value === 0.01 ? 0 : 1
    const payment = signWalletPayment(
      fixture.solver,
      [{ outpoint: `${txid}:${vout}`, amount: 1_000_000n }],
      amounts.map((amount) => ({ amount, script })),
    )
    await fixture.rpc('sendrawtransaction', payment.raw, 0)
    fixture.node.mine(21)
    return depositsLeft()
  }

  beforeEach(async () => {
    fixture = await startFixture('rpc')
    feeRate = 10_000n
  })
  afterEach(() => fixture.node.close())

  it('leave out deposits that are not worth their own input, until they are', async () => {
    const deposits = await depositAll([400n, 200_000n, 400n, 400n])
    await refund()
    expect(amountsTaken(deposits)).toEqual([200_000n])
    fixture.node.mine(1)
    await expect(refund()).rejects.toThrow(failure('uneconomic'))
    feeRate = 1_000n
    await refund()
    expect(amountsTaken(deposits)).toEqual([400n, 400n, 400n])
    fixture.node.mine(1)
    expect((await fixture.swapState(terms())).phase).toBe('refunded')
  })

  it('drop deposits that a fee bump makes uneconomic, and refund those later', async () => {
    feeRate = 1_000n
    const deposits = await depositAll([400n, 200_000n, 400n, 400n])
    const first = await refund()
    expect(amountsTaken(deposits)).toHaveLength(4)
    const { fee } = await fixture.unminedFee(first)
    feeRate = 10_000n
    fixture.solverOutbox.passSeconds(chain.feeBumpSeconds)
    const second = await refund()
    expect(amountsTaken(deposits)).toEqual([200_000n])
    expect(await fixture.mempool()).toEqual([second])
    expect((await fixture.unminedFee(second)).fee).toBeGreaterThan(fee)
    fixture.node.mine(1)
    fixture.solverOutbox.passSeconds(chain.feeBumpSeconds)
    feeRate = 1_000n
    const third = await refund()
    expect(amountsTaken(deposits)).toEqual([400n, 400n, 400n])
    expect((await fixture.unminedFee(third)).fee).toBeLessThan(fee)
  })
})

it('refunds a hundred deposits in one transaction, the largest first, and the others in the next', async () => {
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
  // The code under test calls nothing else of a node.
  const backend = answers as BitcoinBackend
  const refund = (left: typeof deposits) => {
    const execution = {
      chain,
      network: regtest,
      backend,
      ...opened(box.open('refund')),
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
