/** Deposits of every size and timing are swapped or refunded. */
import { expect, test } from 'vitest'
import { type CoinStory, type CoinTarget, depositIn, depositsOf, type PlacedOrder } from './utxo-story.ts'
import type { Payment } from './utxo-wallet.ts'

const LIMIT_MS = 600_000
/** A fee may take at most this out of a refund. */
const MAX_FEE = 10_000n
/** The time is longer than the funding window. */
const SIX_HOURS = 6 * 3600 + 60

export function tellOfDeposits(story: () => CoinStory, { kind, isSimulated }: CoinTarget): void {
  let dusty: { readonly order: PlacedOrder; readonly dust: Payment } | null = null
  const percent = (part: bigint) => (story().coins.amount * part) / 100n

  /** The swap must complete with its destination scaled to the deposited amount. */
  async function expectPaid(order: PlacedOrder, deposited: bigint): Promise<void> {
    const done = await story().untilStatus(order.order_id, 'counterparty_redeemed')
    const scaled = (order.agreed * deposited) / story().coins.amount
    expect(done.destination_swap.amount).toBe(scaled.toString())
    expect(done.source_swap.filled_amount).toBe(deposited.toString())
    expect(await order.received()).toBe(scaled)
  }

  /** The refund, less the fee, must use the key path: one cosigned signature. */
  async function expectInstantRefund(order: PlacedOrder, payment: { readonly deposit: string }, amount: bigint): Promise<void> {
    const record = await story().until(
      order.order_id,
      `the refund of ${payment.deposit}`,
      (one) => depositIn(one, payment)?.state === 'refunded',
    )
    const refund = await story().transaction(depositIn(record, payment)?.spend_tx_hash ?? '')
    const paid = refund.pays(story().userWallet.address)
    expect(paid).toBeLessThan(amount)
    expect(paid).toBeGreaterThan(amount - MAX_FEE)
    expect(refund.inputs.find(({ outpoint }) => outpoint === payment.deposit)?.witness).toHaveLength(1)
  }

  test.concurrent('a deposit of the agreed amount is swapped', { timeout: LIMIT_MS }, async () => {
    const { place, userWallet, coins, api } = story()
    const order = await place()
    const payment = await userWallet.pay(order.to, coins.amount)
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

  test.concurrent.each([102, 98])('a deposit of %i percent scales the destination', { timeout: LIMIT_MS }, async (part) => {
    const { place, userWallet } = story()
    const order = await place()
    const amount = percent(BigInt(part)) + 1n
    await userWallet.pay(order.to, amount)
    await expectPaid(order, amount)
  })

  test.concurrent('three deposits that add up to the agreed amount are swapped', { timeout: LIMIT_MS }, async () => {
    const { place, userWallet, coins, untilStatus } = story()
    const order = await place()
    const payments = [40n, 35n, 25n].map((part) => userWallet.pay(order.to, percent(part)))
    await expectPaid(order, coins.amount)
    const record = await untilStatus(order.order_id, 'counterparty_redeemed')
    expect(depositsOf(record).map(({ state }) => state)).toEqual(['redeemed', 'redeemed', 'redeemed'])
    const redeem = await story().transaction(record.source_swap.redeem_tx_hash)
    const redeemed = redeem.inputs.map(({ outpoint }) => outpoint)
    for (const { deposit } of await Promise.all(payments)) expect(redeemed).toContain(deposit)
  })

  test.concurrent('a deposit far above the agreed amount is refunded at once, automatically', { timeout: LIMIT_MS }, async () => {
    const { place, userWallet, signed, secretSigned } = story()
    const order = await place()
    const payment = await userWallet.pay(order.to, percent(110n))
    await expectInstantRefund(order, payment, percent(110n))
    const refunded = await story().untilStatus(order.order_id, 'refunded')
    expect(refunded.source_swap.refund_tx_hash).toBe(depositIn(refunded, payment)?.spend_tx_hash)
    expect(await signed('solver', order.order_id)).toEqual(new Map())
    expect(await secretSigned(order.order_id)).toBe(false)
  })

  test.concurrent('a deposit that is too small waits for a second one, and then both are swapped', { timeout: LIMIT_MS }, async () => {
    const { place, userWallet, until } = story()
    const order = await place()
    const first = await userWallet.pay(order.to, percent(60n))
    const waiting = await until(order.order_id, 'a block', (one) => one.source_swap.current_confirmations > 0)
    expect(waiting).toMatchObject({ status: 'initiate_detected', next_action: { who: 'user', what: 'complete_source_deposit' } })
    expect(depositIn(waiting, first)).toMatchObject({ state: 'pending', spend_tx_hash: '' })
    await userWallet.pay(order.to, percent(41n))
    await expectPaid(order, percent(101n))
  })

  test.concurrent('extra deposits during and after the swap are refunded, and the swap completes', { timeout: LIMIT_MS }, async () => {
    const { place, userWallet, coins, until, eventually, isClosed, passTime } = story()
    const order = await place()
    const first = await userWallet.pay(order.to, coins.amount)
    await until(order.order_id, 'the other side', (one) => one.destination_swap.initiate_tx_hash !== '')
    const during = await userWallet.pay(order.to, coins.amount)
    await expectPaid(order, coins.amount)
    await expectInstantRefund(order, during, coins.amount)

    const after = await userWallet.pay(order.to, percent(50n))
    await expectInstantRefund(order, after, percent(50n))

    await eventually('both parties to close the order', async () => {
      await coins.mine(2)
      await passTime('ethereum_localnet', 1)
      return (await isClosed('service', order.order_id)) && (await isClosed('solver', order.order_id))
    })
    // While no order is open, blocks are read only once a minute.
    await place()
    const longAfter = await userWallet.pay(order.to, percent(30n))
    await expectInstantRefund(order, longAfter, percent(30n))
    const record = await story().untilStatus(order.order_id, 'counterparty_redeemed')
    expect(depositIn(record, first)?.state).toBe('redeemed')
    expect(depositsOf(record)).toHaveLength(4)
    expect(record.source_swap.refund_tx_hash).toBe('')
    expect(await order.received()).toBe(order.agreed)
  })

  test.concurrent('dust does not disturb the swap', { timeout: LIMIT_MS }, async () => {
    const { place, userWallet, coins, until } = story()
    const order = await place()
    const dust = await userWallet.pay(order.to, coins.dust)
    await until(order.order_id, 'the dust', (one) => depositIn(one, dust) !== undefined)
    await userWallet.pay(order.to, coins.amount)
    await expectPaid(order, coins.amount)
    // On Bitcoin dust is worth less than its refund costs. Litecoin's dust limit is higher, so its refund pays off at times.
    const expected = kind === 'bitcoin' ? ['uneconomic'] : ['awaiting_refund', 'refund_detected', 'refunded']
    await until(order.order_id, 'the dust not to be filled', (one) => expected.includes(depositIn(one, dust)?.state ?? ''))
    dusty = { order, dust }
  })

  // Litecoin nodes do not replace transactions, and their simulator cannot mine a conflicting one.
  const canReplace = kind === 'bitcoin' || !isSimulated
  if (canReplace)
    test('a deposit that is replaced in the mempool does not count', { timeout: LIMIT_MS }, async () => {
      const { place, userWallet, coins, until, untilStatus } = story()
      const order = await place()
      await coins.setMining('manual')
      try {
        const payment = await userWallet.pay(order.to, coins.amount)
        const seen = await untilStatus(order.order_id, 'initiate_detected')
        expect(depositIn(seen, payment)).toMatchObject({ state: 'pending', spend_tx_hash: '' })
        await coins.mineInstead(userWallet.spendInstead(payment))
        const gone = await untilStatus(order.order_id, 'created')
        expect(depositsOf(gone)).toEqual([])
        expect(gone.source_swap).toMatchObject({ initiate_tx_hash: '', filled_amount: '0' })
      } finally {
        await coins.setMining('instant')
      }
      await userWallet.pay(order.to, coins.amount)
      await until(order.order_id, 'the deposit after it', (one) => one.source_swap.initiate_tx_hash !== '')
      await expectPaid(order, coins.amount)
    })

  if (isSimulated)
    test('a deposit that a reorg drops and its sender double-spends does not count', { timeout: LIMIT_MS }, async () => {
      const { place, userWallet, coins, stack, untilStatus, signed } = story()
      const order = await place()
      await stack.solver.setRunning(false)
      const payment = await userWallet.pay(order.to, coins.amount)
      await untilStatus(order.order_id, 'initiated')
      coins.dropNewestBlock?.()
      await coins.mineInstead(userWallet.spendInstead(payment))
      await stack.solver.setRunning(true)
      const gone = await untilStatus(order.order_id, 'created')
      expect(depositsOf(gone)).toEqual([])
      expect(await signed('solver', order.order_id)).toEqual(new Map())
      await userWallet.pay(order.to, coins.amount)
      await expectPaid(order, coins.amount)
    })

  test('after the deadline, a deposit that is too small and one that is late are refunded automatically', {
    timeout: LIMIT_MS,
  }, async () => {
    const { place, userWallet, coins, until, untilStatus, signed, secretSigned } = story()
    const [small, late] = [await place(), await place()]
    const little = await userWallet.pay(small.to, percent(50n))
    await until(small.order_id, 'a block', (one) => one.source_swap.current_confirmations > 0)
    await coins.passTime(SIX_HOURS)
    const tooLate = await userWallet.pay(late.to, coins.amount)
    await expectInstantRefund(small, little, percent(50n))
    await expectInstantRefund(late, tooLate, coins.amount)
    for (const { order_id } of [small, late]) {
      await untilStatus(order_id, 'refunded')
      expect(await signed('solver', order_id)).toEqual(new Map())
      expect(await secretSigned(order_id)).toBe(false)
    }
  })

  test('after the timelock, dust is refunded or marked uneconomic', { timeout: LIMIT_MS }, async () => {
    const { coins, until, userWallet } = story()
    if (dusty === null) throw new Error('the dust test must run first')
    const { order, dust } = dusty
    // Time passes only to the timelock: the service gives up deposits that are not refunded long after it.
    const { source_swap } = await until(order.order_id, 'the dust', (one) => depositIn(one, dust) !== undefined)
    const minedIn = Number(source_swap.deposits?.find(({ deposit }) => deposit === dust.deposit)?.block_number)
    await coins.mine(Math.max(minedIn + source_swap.timelock - (await coins.rpc<number>('getblockcount')), 0))
    const expected = kind === 'bitcoin' ? 'uneconomic' : 'refunded'
    const ended = await until(order.order_id, `the dust to be ${expected}`, (one) => depositIn(one, dust)?.state === expected)
    expect(ended.status).toBe('counterparty_redeemed')
    const refund = depositIn(ended, dust)?.spend_tx_hash ?? ''
    if (kind === 'bitcoin') expect(refund).toBe('')
    else expect((await story().transaction(refund)).pays(userWallet.address)).toBeGreaterThan(0n)
  })
}
