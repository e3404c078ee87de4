/** What users send to a deposit address, right or wrong, and where it ends. */
import { expect, test } from 'vitest'
import { type CoinStory, type CoinTarget, depositIn, depositsOf, type PlacedOrder } from './utxo-story.ts'
import type { Payment } from './utxo-wallet.ts'

const LIMIT_MS = 150_000
/** The most that a fee may take out of a refund. */
const MOST_FEE = 10_000n
/** Longer than the funding window. */
const SIX_HOURS = 6 * 3600 + 60

export function tellOfDeposits(story: () => CoinStory, { kind, isSimulated }: CoinTarget): void {
  let dusty: { readonly order: PlacedOrder; readonly dust: Payment } | null = null
  const percent = (part: bigint) => (story().coins.amount * part) / 100n

  /** Completes with the amount that follows from what was deposited. */
  async function expectPaid(order: PlacedOrder, deposited: bigint): Promise<void> {
    const done = await story().untilStatus(order.order_id, 'counterparty_redeemed')
    const scaled = (order.agreed * deposited) / story().coins.amount
    expect(done.destination_swap.amount).toBe(scaled.toString())
    expect(done.source_swap.filled_amount).toBe(deposited.toString())
    expect(await order.received()).toBe(scaled)
  }

  /** The whole deposit less the fee is back where the user wanted it; signed by both, so by one signature. */
  async function expectGivenBack(order: PlacedOrder, payment: { readonly deposit: string }, amount: bigint): Promise<void> {
    const record = await story().until(
      order.order_id,
      `the refund of ${payment.deposit}`,
      (one) => depositIn(one, payment)?.state === 'refunded',
    )
    const refund = await story().transaction(depositIn(record, payment)?.spend_tx_hash ?? '')
    const paid = refund.pays(story().purse.address)
    expect(paid).toBeLessThan(amount)
    expect(paid).toBeGreaterThan(amount - MOST_FEE)
    expect(refund.inputs.find(({ outpoint }) => outpoint === payment.deposit)?.witness).toHaveLength(1)
  }

  test.concurrent('exactly what was agreed', { timeout: LIMIT_MS }, async () => {
    const { place, purse, coins, api } = story()
    const order = await place()
    const payment = await purse.pay(order.to, coins.amount)
    await expectPaid(order, coins.amount)
    const record = await api.order(order.order_id)
    expect(record.source_swap).toMatchObject({
      deposits: [
        {
          deposit: payment.deposit,
          tx_hash: payment.txid,
          amount: coins.amount.toString(),
          state: 'redeemed',
          spend_tx_hash: record.source_swap.redeem_tx_hash,
        },
      ],
    })
  })

  test.concurrent.each([102, 98])('%i percent of it: the other side is that much', { timeout: LIMIT_MS }, async (part) => {
    const { place, purse } = story()
    const order = await place()
    const amount = percent(BigInt(part)) + 1n
    await purse.pay(order.to, amount)
    await expectPaid(order, amount)
  })

  test.concurrent('in three parts', { timeout: LIMIT_MS }, async () => {
    const { place, purse, coins, untilStatus } = story()
    const order = await place()
    const payments = [40n, 35n, 25n].map((part) => purse.pay(order.to, percent(part)))
    await expectPaid(order, coins.amount)
    const record = await untilStatus(order.order_id, 'counterparty_redeemed')
    expect(depositsOf(record).map(({ state }) => state)).toEqual(['redeemed', 'redeemed', 'redeemed'])
    const redeem = await story().transaction(record.source_swap.redeem_tx_hash)
    const redeemed = redeem.inputs.map(({ outpoint }) => outpoint)
    for (const { deposit } of await Promise.all(payments)) expect(redeemed).toContain(deposit)
  })

  test.concurrent('far too much goes back at once, without anyone asking', { timeout: LIMIT_MS }, async () => {
    const { place, purse, signed, secretSigned } = story()
    const order = await place()
    const payment = await purse.pay(order.to, percent(110n))
    await expectGivenBack(order, payment, percent(110n))
    const refunded = await story().untilStatus(order.order_id, 'refunded')
    expect(refunded.source_swap.refund_tx_hash).toBe(depositIn(refunded, payment)?.spend_tx_hash)
    expect(await signed('solver', order.order_id)).toEqual(new Map())
    expect(await secretSigned(order.order_id)).toBe(false)
  })

  test.concurrent('too little waits to be topped up, and then is enough', { timeout: LIMIT_MS }, async () => {
    const { place, purse, until } = story()
    const order = await place()
    const first = await purse.pay(order.to, percent(60n))
    const waiting = await until(order.order_id, 'a block', (one) => one.source_swap.current_confirmations > 0)
    expect(waiting).toMatchObject({ status: 'initiate_detected', next_action: { who: 'user', what: 'complete_source_deposit' } })
    expect(depositIn(waiting, first)).toMatchObject({ state: 'pending', spend_tx_hash: '' })
    await purse.pay(order.to, percent(41n))
    await expectPaid(order, percent(101n))
  })

  test.concurrent('what comes while the swap runs, and after, goes back; the swap is not disturbed', { timeout: LIMIT_MS }, async () => {
    const { place, purse, coins, until, eventually, isClosed, passTime } = story()
    const order = await place()
    const first = await purse.pay(order.to, coins.amount)
    await until(order.order_id, 'the other side', (one) => one.destination_swap.initiate_tx_hash !== '')
    const during = await purse.pay(order.to, coins.amount)
    await expectPaid(order, coins.amount)
    await expectGivenBack(order, during, coins.amount)

    const after = await purse.pay(order.to, percent(50n))
    await expectGivenBack(order, after, percent(50n))

    await eventually('nothing to be left to do', async () => {
      await coins.mine(2)
      await passTime('ethereum_localnet', 1)
      return (await isClosed('service', order.order_id)) && (await isClosed('solver', order.order_id))
    })
    const longAfter = await purse.pay(order.to, percent(30n))
    await expectGivenBack(order, longAfter, percent(30n))
    const record = await story().untilStatus(order.order_id, 'counterparty_redeemed')
    expect(depositIn(record, first)?.state).toBe('redeemed')
    expect(depositsOf(record)).toHaveLength(4)
    expect(record.source_swap.refund_tx_hash).toBe('')
    expect(await order.received()).toBe(order.agreed)
  })

  test.concurrent('dust does not disturb the swap', { timeout: LIMIT_MS }, async () => {
    const { place, purse, coins, until } = story()
    const order = await place()
    const dust = await purse.pay(order.to, coins.dust)
    await until(order.order_id, 'the dust', (one) => depositIn(one, dust) !== undefined)
    await purse.pay(order.to, coins.amount)
    await expectPaid(order, coins.amount)
    // On Bitcoin it is worth less than any refund costs. What Litecoin's nodes relay is worth more, if not at any time.
    const expected = kind === 'bitcoin' ? ['uneconomic'] : ['awaiting_refund', 'refund_detected', 'refunded']
    await until(order.order_id, 'the dust to be left aside', (one) => expected.includes(depositIn(one, dust)?.state ?? ''))
    dusty = { order, dust }
  })

  // Litecoin nodes replace no transactions, and the simulator cannot mine another one instead.
  const canReplace = kind === 'bitcoin' || !isSimulated
  if (canReplace)
    test('a deposit that is replaced in the mempool does not count', { timeout: LIMIT_MS }, async () => {
      const { place, purse, coins, until, untilStatus } = story()
      const order = await place()
      await coins.setMining('manual')
      try {
        const payment = await purse.pay(order.to, coins.amount)
        const seen = await untilStatus(order.order_id, 'initiate_detected')
        expect(depositIn(seen, payment)).toMatchObject({ state: 'pending', spend_tx_hash: '' })
        await coins.mineInstead(purse.spendInstead(payment))
        const gone = await untilStatus(order.order_id, 'created')
        expect(depositsOf(gone)).toEqual([])
        expect(gone.source_swap).toMatchObject({ initiate_tx_hash: '', filled_amount: '0' })
      } finally {
        await coins.setMining('instant')
      }
      await purse.pay(order.to, coins.amount)
      await until(order.order_id, 'the deposit after it', (one) => one.source_swap.initiate_tx_hash !== '')
      await expectPaid(order, coins.amount)
    })

  if (isSimulated)
    test('a deposit that a reorg drops and its sender spends elsewhere does not count any more', { timeout: LIMIT_MS }, async () => {
      const { place, purse, coins, stack, untilStatus, signed } = story()
      const order = await place()
      await stack.solver.setRunning(false)
      const payment = await purse.pay(order.to, coins.amount)
      await untilStatus(order.order_id, 'initiated')
      coins.dropNewestBlock?.()
      await coins.mineInstead(purse.spendInstead(payment))
      await stack.solver.setRunning(true)
      const gone = await untilStatus(order.order_id, 'created')
      expect(depositsOf(gone)).toEqual([])
      expect(await signed('solver', order.order_id)).toEqual(new Map())
      await purse.pay(order.to, coins.amount)
      await expectPaid(order, coins.amount)
    })

  test('when the deadline passes, what was too little and what comes too late go back without anyone asking', {
    timeout: LIMIT_MS,
  }, async () => {
    const { place, purse, coins, until, untilStatus, signed, secretSigned } = story()
    const [small, late] = [await place(), await place()]
    const little = await purse.pay(small.to, percent(50n))
    await until(small.order_id, 'a block', (one) => one.source_swap.current_confirmations > 0)
    await coins.passTime(SIX_HOURS)
    const tooLate = await purse.pay(late.to, coins.amount)
    await expectGivenBack(small, little, percent(50n))
    await expectGivenBack(late, tooLate, coins.amount)
    for (const { order_id } of [small, late]) {
      await untilStatus(order_id, 'refunded')
      expect(await signed('solver', order_id)).toEqual(new Map())
      expect(await secretSigned(order_id)).toBe(false)
    }
  })

  test('after all timelocks dust is refunded or written off too', { timeout: LIMIT_MS }, async () => {
    const { coins, until, purse } = story()
    if (dusty === null) throw new Error('there was no dust')
    const { order, dust } = dusty
    // Just far enough: what could not be given back for long after its timelock would be given up.
    const { source_swap } = await until(order.order_id, 'the dust', (one) => depositIn(one, dust) !== undefined)
    const minedIn = Number(source_swap.deposits?.find(({ deposit }) => deposit === dust.deposit)?.block_number)
    await coins.mine(Math.max(minedIn + source_swap.timelock - (await coins.rpc<number>('getblockcount')), 0))
    const expected = kind === 'bitcoin' ? 'uneconomic' : 'refunded'
    const ended = await until(order.order_id, 'the end of the dust', (one) => depositIn(one, dust)?.state === expected)
    expect(ended.status).toBe('counterparty_redeemed')
    const refund = depositIn(ended, dust)?.spend_tx_hash ?? ''
    if (kind === 'bitcoin') expect(refund).toBe('')
    else expect((await story().transaction(refund)).pays(purse.address)).toBeGreaterThan(0n)
  })
}
