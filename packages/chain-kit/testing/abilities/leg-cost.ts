/** A family that can say what its transactions cost now. */
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, expectWithin, type Party, required } from '../run.fixture.ts'

/** Fees vary from transaction to transaction, and a statement has a margin. */
const FACTOR = 4n

export function legCostSuite(run: ConformanceRun): void {
  describe('leg cost', () => {
    const read = (asset = run.fixture.asset) => required(run.fixture.client.legCost, 'legCost')(asset)
    const isNative = () => run.fixture.asset === run.fixture.client.chain.nativeAsset
    const coins = ({ address }: Party) => run.fixture.client.balance(run.fixture.client.chain.nativeAsset, address)
    const amount = () => (isNative() ? run.fixture.amount : 0n)

    it('is what a redeem and an initiation take, within a factor of four', async () => {
      const { client, depositReserve } = run.fixture
      const stated = await read()
      expect(stated.refund).toBeGreaterThan(0n)
      const swap = await run.fundedByUser()
      const before = await coins(run.solver)
      await run.redeem(swap)
      await run.confirm()
      const redeemed = await coins(run.solver)
      // A node's estimate may change while the test runs.
      const [first, later] = [stated.redeem, (await read()).redeem]
      const [least, most] = first < later ? [first, later] : [later, first]
      expectWithin(before + amount() - redeemed, least / FACTOR, most * FACTOR)
      await run.initiate(await run.propose(run.solver, run.user))
      await run.confirm()
      const taken = redeemed - amount() - (await coins(run.solver))
      // What is got back later is not stated.
      const isReturned = client.chain.settledHtlcKeepsRent === true || depositReserve !== undefined
      const now = await read()
      const [low, high] = stated.initiate < now.initiate ? [stated.initiate, now.initiate] : [now.initiate, stated.initiate]
      expectWithin(taken, low / FACTOR, isReturned ? taken : high * FACTOR)
    })

    it('fails for an asset that the chain does not have', async () => {
      await expect(read(`${run.fixture.client.chain.id}:nothing`)).rejects.toThrow(/nothing/)
    })
  })
}
