// Tests payouts with a promised maximum fee for the recipient, on the simulated chain.
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Sponsor } from '@tandem/chain-kit/port/outbox.ts'
import { createMemoryOutbox, type MemoryOutbox, type MemorySponsor, type OutboxFault } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { scriptOfAddress } from '../../terms/script/address.ts'
import { signWalletPayment } from '../../terms/wallet/sign.ts'
import { randomSigner, regtest, startSimulatedChain } from '../bitcoin.fixture.ts'
import type { BitcoinBackend } from '../nodes/backend.ts'
import { parseTransaction } from '../script/transaction.ts'
import { chain, type Fixture, failure, startFixture } from '../wallet/manual-mining.fixture.ts'
import { type FundedOrder, type SpendFixture, startSpendFixture } from './spend.fixture.ts'
import { redeemHtlc } from './spend.ts'

const AMOUNT = 200_000n
const COIN = 50_000n
/** The promise is about 1 satoshi per vB. Without estimates of the node, 2 are wanted, and 3 under time pressure. */
const PROMISED = 150n

describe.each(['rpc', 'esplora'] as const)('a promised fee, through %s', (endpoint) => {
  let fixture: Fixture
  let sponsor: MemorySponsor
  let others: MemoryOutbox
  beforeEach(async () => {
    fixture = await startFixture(endpoint)
    const key = randomSigner()
    others = createMemoryOutbox(key)
    sponsor = { key, others, budget: COIN, charged: [] }
  })
  afterEach(() => fixture.node.close())

  const sponsorAddress = () => fixture.client.addressOf(sponsor.key)
  const recipient = () => fixture.client.addressOf(fixture.user)
  const giveSponsor = async (...amounts: readonly bigint[]) => {
    for (const amount of amounts) await fixture.node.faucet(sponsorAddress(), amount)
    fixture.node.mine(1)
  }
  const open = async () => {
    const terms = fixture.terms(AMOUNT)
    await fixture.node.faucet(fixture.client.swapId(terms), AMOUNT)
    fixture.node.mine(1)
    const deposits = (await fixture.swapState(terms)).deposits.map(({ id, amount }) => ({ id, amount })).slice(-1)
    return (options: { maxFee?: bigint; secondsLeft?: bigint; key?: string; fault?: OutboxFault } = {}) =>
      fixture.client.redeem(
        terms,
        { deposits, to: recipient(), secret: fixture.secret, maxFee: options.maxFee ?? PROMISED },
        fixture.userOutbox.open(options.key ?? 'redeem', {
          sponsor,
          ...(options.secondsLeft !== undefined && { secondsLeft: options.secondsLeft }),
          ...(options.fault !== undefined && { fault: options.fault }),
        }),
      )
  }
  const sent = (key = 'redeem') => parseTransaction(fixture.userOutbox.attempts(key).at(-1)?.raw ?? '')

  it('takes the promised fee from the payout, and the remaining fee from a coin of the sponsor', async () => {
    await giveSponsor(COIN)
    const redeem = await open()
    const { fee, vsize } = await fixture.unminedFee(await redeem())
    // A signature may be a byte shorter than it was counted.
    expect([vsize * 2n, vsize * 2n + 2n]).toContain(fee)
    expect(sponsor.charged).toEqual([fee - PROMISED])
    fixture.node.mine(1)
    expect(await fixture.client.balance(chain.nativeAsset, recipient())).toBe(AMOUNT - PROMISED)
    expect(await fixture.client.balance(chain.nativeAsset, sponsorAddress())).toBe(COIN + PROMISED - fee)
    await redeem()
    expect(fixture.userOutbox.attempts('redeem')).toHaveLength(1)
  })

  it('leaves the sponsor alone while the promised fee is enough', async () => {
    await giveSponsor(COIN)
    const redeem = await open()
    const { fee, vsize } = await fixture.unminedFee(await redeem({ maxFee: 1_000n }))
    expect(fee).toBe(vsize * 2n)
    expect(sent().outputs).toHaveLength(1)
    expect([sponsor.charged, others.attempts('redeem')]).toEqual([[], []])
  })

  it('bumps the fee at the expense of the sponsor', async () => {
    await giveSponsor(COIN)
    const redeem = await open()
    const first = await redeem({ maxFee: 300n })
    expect(sponsor.charged).toEqual([])
    const seen = new Set([first])
    for (let bumps = 0; bumps < 3; bumps++) {
      fixture.userOutbox.passSeconds(chain.feeBumpSeconds)
      seen.add(await redeem({ maxFee: 300n }))
      expect(sent().outputs[0]?.amount).toBe(AMOUNT - 300n)
    }
    expect(seen.size).toBe(4)
    const last = [...seen].at(-1) ?? ''
    expect(await fixture.mempool()).toEqual([last])
    expect(sponsor.charged.at(-1)).toBe((await fixture.unminedFee(last)).fee - 300n)
  })

  it('does not use a coin that another payout uses', async () => {
    await giveSponsor(COIN, COIN + 1n)
    const [one, two] = [await open(), await open()]
    await expect(one({ key: 'one', fault: 'dies-after-recording' })).rejects.toThrow('dies-after-recording')
    await two({ key: 'two' })
    await one({ key: 'one' })
    const coins = ['one', 'two'].map((key) => sent(key).inputs[1]?.outpoint)
    expect(new Set(coins).size).toBe(2)
    expect(await fixture.mempool()).toHaveLength(2)
  })

  it.each([
    ['has no coin', async () => undefined],
    [
      'may not pay',
      async () => {
        sponsor = { ...sponsor, budget: 1n }
        await giveSponsor(COIN)
      },
    ],
  ])('keeps the promise while there is time, and redeems in time, if the sponsor %s', async (_, prepare) => {
    await prepare()
    const redeem = await open()
    const tx = await redeem()
    expect((await fixture.unminedFee(tx)).fee).toBe(PROMISED)
    fixture.userOutbox.passSeconds(chain.feeBumpSeconds)
    expect(await redeem()).toBe(tx)
    const urgent = await redeem({ secondsLeft: 60n })
    const { fee, vsize } = await fixture.unminedFee(urgent)
    expect(fee).toBe(vsize * 3n)
    expect(await fixture.mempool()).toEqual([urgent])
    fixture.node.mine(1)
    expect(await fixture.client.balance(chain.nativeAsset, recipient())).toBe(AMOUNT - fee)
  })

  it('signs nothing at a fee that no node relays, and then redeems in time', async () => {
    const redeem = await open()
    await expect(redeem({ maxFee: 50n })).rejects.toThrow(failure('would-fail', /promised fee of 50/))
    expect(fixture.userOutbox.attempts('redeem')).toEqual([])
    await giveSponsor(COIN)
    await redeem({ maxFee: 50n })
    expect(sent().outputs[0]?.amount).toBe(AMOUNT - 50n)
  })

  it('does not outbid the recipient, who has bumped the fee with a child', async () => {
    await giveSponsor(COIN)
    const redeem = await open()
    const tx = await redeem()
    const script = scriptOfAddress(recipient(), regtest)
    const payment = signWalletPayment(
      fixture.user,
      [{ outpoint: `${tx}:0`, amount: AMOUNT - PROMISED }],
      [{ amount: AMOUNT - PROMISED - 20_000n, script }],
    )
    const child = await fixture.rpc<string>('sendrawtransaction', payment.raw, 0)
    fixture.userOutbox.passSeconds(chain.feeBumpSeconds)
    expect(await redeem()).toBe(tx)
    expect([...(await fixture.mempool())].sort()).toEqual([tx, child].sort())
  })
})

describe('the coins of a sponsor', () => {
  let fixture: SpendFixture
  let sponsor: MemorySponsor
  beforeEach(async () => {
    const chain = await startSimulatedChain()
    fixture = await startSpendFixture(chain, chain.endpoints)
    const key = randomSigner()
    sponsor = { key, others: createMemoryOutbox(key), budget: COIN, charged: [] }
    await chain.pay(fixture.client.addressOf(key), COIN)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await fixture.close()
  })
  /** The redeem is under time pressure, so that it is sent with or without a sponsor. */
  const redeem = async (order: FundedOrder, coinsOf: (isHeld: boolean) => ReturnType<BitcoinBackend['coinsOf']>) => {
    const id = order.terms.secretHash
    const outbox = fixture.outbox.open(id, { sponsor, secondsLeft: 60n })
    if (outbox.sponsor === undefined) throw new Error('there is no sponsor')
    const { withKey, ...rest } = outbox.sponsor
    let holds = 0
    let isHeld = false
    const watched: Sponsor = {
      ...rest,
      withKey: (work) =>
        withKey((held) => {
          holds += 1
          isHeld = true
          return work(held)
        }),
    }
    const answers = { coinsOf: () => coinsOf(isHeld) }
    const execution = fixture.execution(id, { outbox: { ...outbox, sponsor: watched }, answers })
    const tx = await redeemHtlc(execution, order.terms, { ...order, to: fixture.client.addressOf(fixture.solver), maxFee: PROMISED })
    return { tx, holds, inputs: parseTransaction(fixture.outbox.attempts(id).at(-1)?.raw ?? '').inputs.length }
  }

  it('are read before its key is taken', async () => {
    const [order] = await fixture.fund([AMOUNT])
    if (order === undefined) throw new Error('there is no order')
    const held: boolean[] = []
    const { backend } = fixture.execution('any')
    const { holds, inputs } = await redeem(order, (isHeld) => {
      held.push(isHeld)
      return backend.coinsOf(fixture.client.addressOf(sponsor.key))
    })
    expect({ held, holds, inputs }).toEqual({ held: [false], holds: 1, inputs: 2 })
  })

  it('are not asked for again for a minute after nodes failed: payouts neither wait for them nor for its key', async () => {
    const orders = await fixture.fund([AMOUNT], [AMOUNT], [AMOUNT])
    let asked = 0
    const failing = async () => {
      asked += 1
      throw new ChainFailure('unreachable', 'the nodes do not agree')
    }
    const start = performance.now()
    const clock = vi.spyOn(performance, 'now')
    const seen: unknown[] = []
    for (const [index, order] of orders.entries()) {
      clock.mockReturnValue(start + (index === 2 ? 61_000 : 0))
      const { tx, holds, inputs } = await redeem(order, failing)
      expect((await fixture.entry(tx)).fee).toBeGreaterThan(PROMISED)
      seen.push({ asked, holds, inputs })
    }
    expect(seen).toEqual([
      { asked: 1, holds: 0, inputs: 1 },
      { asked: 1, holds: 0, inputs: 1 },
      { asked: 2, holds: 0, inputs: 1 },
    ])
  })

  it('cannot be read: its key is still taken to replace a transaction whose change another of its actions may spend', async () => {
    const [order] = await fixture.fund([AMOUNT])
    if (order === undefined) throw new Error('there is no order')
    const { backend } = fixture.execution('any')
    const first = await redeem(order, () => backend.coinsOf(fixture.client.addressOf(sponsor.key)))
    fixture.letWait()
    const second = await redeem(order, () => Promise.reject(new ChainFailure('unreachable', 'the nodes do not agree')))
    expect([first.inputs, second.inputs, second.holds]).toEqual([2, 1, 1])
    expect(await fixture.mempool()).toEqual([second.tx])
  })
})
