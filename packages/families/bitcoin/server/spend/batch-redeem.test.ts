// Tests batch redeems and CPFP, on the simulated chains.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { networkOf } from '../../terms/networks.ts'
import { startSimulatedChain } from '../bitcoin.fixture.ts'
import { redeemCosigned } from '../cosign/cosign.fixture.ts'
import { describeSpends } from './spend.conformance.ts'
import { type FundedOrder, type SpendFixture, startSpendFixture } from './spend.fixture.ts'
import { batchRedeem } from './spend.ts'

describeSpends('spending through Bitcoin Core RPC', networkOf('bitcoin:regtest'), async () => {
  const chain = await startSimulatedChain()
  return startSpendFixture(chain, { rpc: chain.endpoints.rpc ?? [] })
})

describeSpends('spending through Esplora', networkOf('bitcoin:regtest'), async () => {
  const chain = await startSimulatedChain()
  return startSpendFixture(chain, { esplora: chain.endpoints.esplora ?? [] })
})

describeSpends('spending litecoin', networkOf('litecoin:regtest'), async () => {
  const chain = await startSimulatedChain('litecoin:regtest')
  return startSpendFixture(chain, { rpc: chain.endpoints.rpc ?? [] })
})

describe('batch redeems', () => {
  let fixture: SpendFixture
  beforeAll(async () => {
    const chain = await startSimulatedChain()
    fixture = await startSpendFixture(chain, { rpc: chain.endpoints.rpc ?? [] })
  })
  afterAll(() => fixture.close())

  const slots = (key: string) => fixture.outbox.attempts(key).map((attempt) => attempt.slots)
  const ids = (...orders: readonly FundedOrder[]) => orders.flatMap(({ deposits }) => deposits.map(({ id }) => id))

  it('leave out an HTLC that costs more than it brings, which alone is uneconomic', async () => {
    const [large, dust] = await fixture.fund([200_000n], [400n])
    if (large === undefined || dust === undefined) throw new Error('expected two funded orders')
    const redeem = (key: string, items: readonly FundedOrder[], rate: bigint) =>
      batchRedeem(fixture.execution(key, { feeRate: async () => rate }), items, null)
    await redeem('dust', [dust, large], 10_000n)
    expect(slots('dust')).toEqual([ids(large)])
    await expect(redeem('dust alone', [dust], 10_000n)).rejects.toThrow(expect.objectContaining({ kind: 'uneconomic' }))
    // The dust does not make the batch fail while the large one is unconfirmed.
    await redeem('dust', [dust, large], 10_000n)
    expect(slots('dust')).toHaveLength(1)
    const [next] = await fixture.fund([200_000n])
    if (next === undefined) throw new Error('no order was funded')
    await redeem('cheap', [dust, next], 1_000n)
    expect(slots('cheap')).toEqual([ids(dust, next)])
  })

  it('do not wait for a co-signed redeem with a low fee when time runs out', async () => {
    const orders = await fixture.fund([200_000n])
    // The rate is 2 sat/vB.
    const cosigned = await redeemCosigned(fixture.client, orders, fixture.solver)
    const redeem = (key: string, rate: bigint, secondsLeft: bigint) =>
      batchRedeem(fixture.execution(key, { feeRate: async () => rate, secondsLeft }), orders, cosigned)
    const isCosigned = (key: string) => fixture.outbox.attempts(key).map(({ raw }) => raw === cosigned)
    await redeem('urgent', 5_000n, 60n)
    expect(isCosigned('urgent')).toEqual([false])
    await fixture.chain.mine(1)

    const others = await fixture.fund([200_000n], [150_000n])
    const inTime = await redeemCosigned(fixture.client, others, fixture.solver)
    await batchRedeem(fixture.execution('time', { feeRate: async () => 5_000n, secondsLeft: 1_000_000n }), others, inTime)
    expect(fixture.outbox.attempts('time').map(({ raw }) => raw)).toEqual([inTime])
  })

  it('go on without an invalid co-signed redeem, also after a crash', async () => {
    const orders = await fixture.fund([200_000n])
    const [other] = await fixture.fund([200_000n])
    if (other === undefined) throw new Error('no order was funded')
    const [cosigned, foreign] = [
      await redeemCosigned(fixture.client, orders, fixture.solver),
      await redeemCosigned(fixture.client, [other], fixture.solver),
    ]
    const wrong = `${cosigned.slice(0, -136)}${foreign.slice(-136)}`
    const dying = { ...fixture.execution('crash'), outbox: fixture.outbox.open('crash', { fault: 'dies-after-recording' }) }
    await expect(batchRedeem(dying, orders, wrong)).rejects.toThrow('dies-after-recording')
    const tx = await batchRedeem(fixture.execution('crash'), orders, wrong)
    expect(await fixture.mempool()).toContain(tx)
    expect(fixture.outbox.attempts('crash').map(({ raw }) => raw === wrong)).toEqual([true, false])
  })

  it('ignore a co-signed redeem that is not a transaction', async () => {
    const orders = await fixture.fund([200_000n])
    await batchRedeem(fixture.execution('nonsense'), orders, 'ffff')
    expect(slots('nonsense')).toEqual([ids(...orders)])
  })
})
