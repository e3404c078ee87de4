// A bad item of a batch, of any kind and at any position, pays nothing and does not stop the others.
import { maxUint256, zeroAddress, zeroHash } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHtlcScene, type HtlcKind, type HtlcScene } from './htlc.fixture.ts'
import { type HtlcOrder, htlcCall } from './htlc-order.fixture.ts'

const settled = 2n

describe.each<HtlcKind>(['ERC-20', 'native'])('a batch of the %s HTLC', (kind) => {
  let scene: HtlcScene
  beforeAll(async () => {
    scene = await createHtlcScene(kind)
    await scene.open()
  })

  const badItems: Readonly<Record<string, (good: HtlcOrder) => Promise<HtlcOrder>>> = {
    'was redeemed before': async () => {
      const order = await scene.open()
      await scene.send(scene.stranger, htlcCall.redeem(order))
      return order
    },
    'was refunded before': async () => {
      const order = await scene.open()
      await scene.send(scene.redeemer, htlcCall.instantRefund(order, '0x'))
      return order
    },
    'was never initiated': async () => scene.newOrder(),
    'has a wrong secret': async () => ({ ...(await scene.open()), secret: zeroHash }),
    'asks for more than its amount': async () => {
      const order = await scene.open()
      return { ...order, amount: order.amount + 1n }
    },
    'asks for more than there is': async () => ({ ...(await scene.open()), amount: maxUint256 }),
    'has another timelock': async () => ({ ...(await scene.open()), timelock: 1n }),
    'has another initiator': async () => ({ ...(await scene.open()), initiator: zeroAddress }),
    'belongs to another redeemer': async () => scene.open({ redeemer: scene.stranger.address }),
    'is a repetition': async (good) => good,
  }
  const cases = Object.keys(badItems).flatMap((name) => ['first', 'in the middle', 'last'].map((place) => [name, place] as const))

  it.each(cases)('with an item that %s, standing %s, pays the rest once', async (name, place) => {
    const good = [await scene.open(), await scene.open({ amount: 7n })]
    const bad = (await badItems[name]?.(good[0] as HtlcOrder)) as HtlcOrder
    const [locked, before] = [await scene.balance(scene.htlc), await scene.balance(scene.redeemer.address)]
    const position = place === 'first' ? 0 : place === 'last' ? 2 : 1
    const receipt = await scene.send(scene.stranger, htlcCall.redeemBatch(scene.redeemer.address, good.toSpliced(position, 0, bad)))
    expect(await scene.balance(scene.htlc)).toBe(locked - 100_000_007n)
    expect(await scene.balance(scene.redeemer.address)).toBe(before + 100_000_007n)
    expect(scene.events(receipt)).toHaveLength(2)
    for (const order of good) expect(await scene.state(order)).toBeLessThanOrEqual(settled)
  })

  it('of bad items only does nothing, even if their amounts overflow', async () => {
    const locked = await scene.balance(scene.htlc)
    const items = Array.from({ length: 3 }, () => scene.newOrder({ amount: maxUint256 }))
    for (const batch of [[], items]) {
      const receipt = await scene.send(scene.stranger, htlcCall.redeemBatch(scene.redeemer.address, batch))
      expect(receipt.logs).toEqual([])
    }
    expect(await scene.balance(scene.htlc)).toBe(locked)
  })

  it('for the zero address pays nothing: such an order cannot exist', async () => {
    const order = await scene.open()
    const receipt = await scene.send(scene.stranger, htlcCall.redeemBatch(zeroAddress, [order]))
    expect(receipt.logs).toEqual([])
  })
})
