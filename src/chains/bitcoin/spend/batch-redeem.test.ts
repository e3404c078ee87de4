// Redeems of several HTLCs and what a child pays for, on the simulated chains.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSimulatedChain } from '../bitcoin.fixture.ts'
import { redeemCosigned } from '../cosign/cosign.fixture.ts'
import { networkOf } from '../networks.ts'
import { describeSpends } from './spend.conformance.ts'
import { type FundedOrder, type SpendScene, startSpendScene } from './spend.fixture.ts'
import { batchRedeem } from './spend.ts'

describeSpends('spending through Bitcoin Core RPC', networkOf('bitcoin:regtest'), async () => {
  const chain = await startSimulatedChain()
  return startSpendScene(chain, { rpc: chain.endpoints.rpc ?? [] })
})

describeSpends('spending through Esplora', networkOf('bitcoin:regtest'), async () => {
  const chain = await startSimulatedChain()
  return startSpendScene(chain, { esplora: chain.endpoints.esplora ?? [] })
})

describeSpends('spending litecoin', networkOf('litecoin:regtest'), async () => {
  const chain = await startSimulatedChain('litecoin:regtest')
  return startSpendScene(chain, { rpc: chain.endpoints.rpc ?? [] })
})

describe('redeems together', () => {
  let scene: SpendScene
  beforeAll(async () => {
    const chain = await startSimulatedChain()
    scene = await startSpendScene(chain, { rpc: chain.endpoints.rpc ?? [] })
  })
  afterAll(() => scene.close())

  const slots = (key: string) => scene.outbox.attempts(key).map((attempt) => attempt.slots)
  const ids = (...orders: readonly FundedOrder[]) => orders.flatMap(({ deposits }) => deposits.map(({ id }) => id))

  it('leave out an HTLC that would only cost the others something, which alone is uneconomic', async () => {
    const [large, crumb] = await scene.fund([200_000n], [400n])
    if (large === undefined || crumb === undefined) throw new Error('two orders were funded')
    const redeem = (key: string, items: readonly FundedOrder[], rate: bigint) =>
      batchRedeem(scene.execution(key, { feeRate: async () => rate }), items, null)
    await redeem('crumbs', [crumb, large], 10_000n)
    expect(slots('crumbs')).toEqual([ids(large)])
    await expect(redeem('crumb', [crumb], 10_000n)).rejects.toThrow(expect.objectContaining({ kind: 'uneconomic' }))
    // With the large one on its way the crumb does not make it fail.
    await redeem('crumbs', [crumb, large], 10_000n)
    expect(slots('crumbs')).toHaveLength(1)
    const [next] = await scene.fund([200_000n])
    if (next === undefined) throw new Error('an order was funded')
    await redeem('cheap', [crumb, next], 1_000n)
    expect(slots('cheap')).toEqual([ids(crumb, next)])
  })

  it('do not wait for what was co-signed at a low fee when the time runs out', async () => {
    const orders = await scene.fund([200_000n])
    // At 2 sat/vB.
    const cosigned = await redeemCosigned(scene.client, orders, scene.solver)
    const redeem = (key: string, rate: bigint, secondsLeft: bigint) =>
      batchRedeem(scene.execution(key, { feeRate: async () => rate, secondsLeft }), orders, cosigned)
    const isCosigned = (key: string) => scene.outbox.attempts(key).map(({ raw }) => raw === cosigned)
    await redeem('hurry', 5_000n, 60n)
    expect(isCosigned('hurry')).toEqual([false])
    await scene.chain.mine(1)

    const others = await scene.fund([200_000n], [150_000n])
    const inTime = await redeemCosigned(scene.client, others, scene.solver)
    await batchRedeem(scene.execution('time', { feeRate: async () => 5_000n, secondsLeft: 1_000_000n }), others, inTime)
    expect(scene.outbox.attempts('time').map(({ raw }) => raw)).toEqual([inTime])
  })

  it('go on without what was co-signed wrongly, also after a crash', async () => {
    const orders = await scene.fund([200_000n])
    const [other] = await scene.fund([200_000n])
    if (other === undefined) throw new Error('an order was funded')
    // The signature of another transaction.
    const [cosigned, foreign] = [
      await redeemCosigned(scene.client, orders, scene.solver),
      await redeemCosigned(scene.client, [other], scene.solver),
    ]
    const wrong = `${cosigned.slice(0, -136)}${foreign.slice(-136)}`
    const dying = { ...scene.execution('crash'), outbox: scene.outbox.open('crash', { fault: 'dies-after-recording' }) }
    await expect(batchRedeem(dying, orders, wrong)).rejects.toThrow('dies-after-recording')
    const tx = await batchRedeem(scene.execution('crash'), orders, wrong)
    expect(await scene.mempool()).toContain(tx)
    expect(scene.outbox.attempts('crash').map(({ raw }) => raw === wrong)).toEqual([true, false])
  })

  it('do not stumble over what is no transaction', async () => {
    const orders = await scene.fund([200_000n])
    await batchRedeem(scene.execution('nonsense'), orders, 'ffff')
    expect(slots('nonsense')).toEqual([ids(...orders)])
  })
})
