// Tests that a bad item of a batch, of any kind and at any position, pays nothing and does not stop the others.
import { maxUint256, zeroAddress, zeroHash } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHtlcSetup, type HtlcSetup, htlcKinds } from './htlc.fixture.ts'
import { type HtlcOrder, htlcCall } from './htlc-order.fixture.ts'

const settled = 2n

describe.each(htlcKinds)('a batch of the %s HTLC', (kind) => {
  let setup: HtlcSetup
  beforeAll(async () => {
    setup = await createHtlcSetup(kind)
    await setup.open()
  })

  const badItems: Readonly<Record<string, (good: HtlcOrder) => Promise<HtlcOrder>>> = {
    'was redeemed before': async () => {
      const order = await setup.open()
      await setup.send(setup.stranger, htlcCall.redeem(order))
      return order
    },
    'was refunded before': async () => {
      const order = await setup.open()
      await setup.send(setup.redeemer, htlcCall.instantRefund(order, '0x'))
      return order
    },
    'was never initiated': async () => setup.newOrder(),
    'has a wrong secret': async () => ({ ...(await setup.open()), secret: zeroHash }),
    'asks for more than its amount': async () => {
      const order = await setup.open()
      return { ...order, amount: order.amount + 1n }
    },
    'asks for more than there is': async () => ({ ...(await setup.open()), amount: maxUint256 }),
    'has another timelock': async () => ({ ...(await setup.open()), timelock: 1n }),
    'has another initiator': async () => ({ ...(await setup.open()), initiator: zeroAddress }),
    'belongs to another redeemer': async () => setup.open({ redeemer: setup.stranger.address }),
    'is a repetition': async (good) => good,
  }
  const cases = Object.keys(badItems).flatMap((name) => ['first', 'in the middle', 'last'].map((place) => [name, place] as const))

  it.each(cases)('with an item that %s, standing %s, pays the others once', async (name, place) => {
    const good = [await setup.open(), await setup.open({ amount: 7n })]
    const bad = (await badItems[name]?.(good[0] as HtlcOrder)) as HtlcOrder
    const [locked, before] = [await setup.balance(setup.htlc), await setup.balance(setup.redeemer.address)]
    const position = place === 'first' ? 0 : place === 'last' ? 2 : 1
    const receipt = await setup.send(setup.stranger, htlcCall.redeemBatch(setup.redeemer.address, good.toSpliced(position, 0, bad)))
    expect(await setup.balance(setup.htlc)).toBe(locked - 100_000_007n)
    expect(await setup.balance(setup.redeemer.address)).toBe(before + 100_000_007n)
    expect(setup.events(receipt)).toHaveLength(2)
    for (const order of good) expect(await setup.state(order)).toBeLessThanOrEqual(settled)
  })

  it('of bad items only does nothing, even if their amounts overflow', async () => {
    const locked = await setup.balance(setup.htlc)
    const items = Array.from({ length: 3 }, () => setup.newOrder({ amount: maxUint256 }))
    for (const batch of [[], items]) {
      const receipt = await setup.send(setup.stranger, htlcCall.redeemBatch(setup.redeemer.address, batch))
      expect(receipt.logs).toEqual([])
    }
    expect(await setup.balance(setup.htlc)).toBe(locked)
  })

  it('for the zero address pays nothing: such an order cannot exist', async () => {
    const order = await setup.open()
    const receipt = await setup.send(setup.stranger, htlcCall.redeemBatch(zeroAddress, [order]))
    expect(receipt.logs).toEqual([])
  })
})
