/** The solver redeems in a batch that both parties sign while there is time, and otherwise alone, before the timelock. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CoinStory, PAID_IN, type PlacedOrder } from './utxo-story.ts'

const LIMIT_MS = 600_000
/** The signature is BIP340, for all inputs and outputs: one item of a witness. */
const SIGNATURE = /^[0-9a-f]{128}$/

export function tellOfRedeems(story: () => CoinStory): void {
  const evm = () => story().evmChain('ethereum_localnet')
  const mineEvm = () => evm().request({ method: 'evm_mine', params: [] })

  // Blocks are not mined automatically, so nothing becomes final until a story mines it.
  beforeEach(() => evm().request({ method: 'evm_setAutomine', params: [false] }))
  afterEach(() => evm().request({ method: 'evm_setAutomine', params: [true] }))

  /** No more blocks are mined than the payments need. */
  async function untilPaid(...orders: readonly PlacedOrder[]): Promise<void> {
    await story().eventually('the users to be paid', async () => {
      const pending = await evm().request({ method: 'eth_getBlockTransactionCountByNumber', params: ['pending'] })
      if (Number(pending) > 0) await mineEvm()
      const records = await Promise.all(orders.map(({ order_id }) => story().api.order(order_id)))
      return records.every(({ status }) => status === 'redeemed' || status === 'counterparty_redeemed')
    })
  }

  async function place(count: number): Promise<readonly PlacedOrder[]> {
    const orders: PlacedOrder[] = []
    while (orders.length < count) orders.push(await story().place())
    for (const { to } of orders) await story().userWallet.pay(to, story().coins.amount)
    return orders
  }

  const redeemOf = async ({ order_id }: PlacedOrder) => (await story().signed('solver', order_id)).get('redeem source') ?? []

  test('two orders whose destinations are final: one batch redeem that both parties signed', { timeout: LIMIT_MS }, async () => {
    const { stack, restart, untilStatus, untilSeen } = story()
    // However slowly the second order follows the first, the service offers both together.
    await restart('service', (config) => Object.assign(config, { cosign_gather_seconds: 10 }))
    const orders = await place(2)
    await untilPaid(...orders)
    // The solver drafts only redeems whose secret it has read.
    for (const { order_id } of orders) await untilSeen('solver', order_id, 'destination redeemed')
    await stack.service.setRunning(false)
    // Twelve blocks make the payments final before the service polls again.
    for (let block = 0; block < 12; block++) await mineEvm()
    expect(await Promise.all(orders.map(redeemOf))).toEqual([[], []])
    await stack.service.setRunning(true)

    const done = await Promise.all(orders.map(({ order_id }) => untilStatus(order_id, 'counterparty_redeemed')))
    const txs = new Set(done.map(({ source_swap }) => source_swap.redeem_tx_hash))
    expect(txs.size).toBe(1)
    const [tx = ''] = txs
    const redeem = await story().transaction(tx)
    const deposits = done.flatMap(({ source_swap }) => source_swap.deposits ?? [])
    expect(new Set(redeem.inputs.map(({ outpoint }) => outpoint))).toEqual(new Set(deposits.map(({ deposit }) => deposit)))
    for (const { witness } of redeem.inputs) expect(witness).toEqual([expect.stringMatching(SIGNATURE)])
    expect(deposits).toMatchObject([
      { state: 'redeemed', spend_tx_hash: tx },
      { state: 'redeemed', spend_tx_hash: tx },
    ])
    // The size is 10.5 vB of overhead, 31 for the output, and 57.5 for each input.
    expect(redeem.vsize).toBeLessThanOrEqual(157)
  })

  test('a redeem does not wait for a batch when the timelock is near', { timeout: LIMIT_MS }, async () => {
    const { coins, untilStatus, eventually, makeDue } = story()
    const [order] = await place(1)
    if (order === undefined) throw new Error('there is no order')
    await untilPaid(order)
    expect(await redeemOf(order)).toEqual([])
    const { timelock } = (await untilStatus(order.order_id, 'redeemed')).source_swap
    await coins.mine(timelock - 25)
    // Without this the order is checked only every fifteen seconds.
    await eventually('the redeem to be signed', async () => {
      await makeDue(1)
      return (await redeemOf(order)).length > 0
    })
    const done = await untilStatus(order.order_id, 'counterparty_redeemed')
    await expectAlone(done.source_swap)
  })

  test('the service is down: the solver redeems alone after redeem_wait_seconds', { timeout: LIMIT_MS }, async () => {
    const { stack, untilSeen, untilStatus } = story()
    await setWait(story(), 5)
    const [order] = await place(1)
    if (order === undefined) throw new Error('there is no order')
    await untilPaid(order)
    await stack.service.setRunning(false)
    try {
      await untilSeen('solver', order.order_id, 'source redeemed')
    } finally {
      await stack.service.setRunning(true)
    }
    const done = await untilStatus(order.order_id, 'counterparty_redeemed')
    await expectAlone(done.source_swap)
    expect(await order.received()).toBe(order.agreed)
    expect(done.destination_swap.asset).toBe(PAID_IN)
  })

  /** A solver that redeemed alone used the script path: signature, secret, script, control block. */
  async function expectAlone({ redeem_tx_hash, secret }: { readonly redeem_tx_hash: string; readonly secret: string }): Promise<void> {
    const redeem = await story().transaction(redeem_tx_hash)
    expect(redeem.inputs.map(({ witness }) => witness.length)).toEqual([4])
    expect(redeem.inputs[0]?.witness).toContain(secret)
  }
}

const setWait = ({ restart }: CoinStory, seconds: number): Promise<void> =>
  restart('solver', (config) => Object.assign(config, { redeem_wait_seconds: seconds }))
