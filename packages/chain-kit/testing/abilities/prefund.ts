/** Tests a family where users have an account at the HTLC, and consent on the chain to each swap that may take money from it. */
import { describe, it } from 'vitest'
import { type ConformanceRun, required, type Swap } from '../run.fixture.ts'
import { type Accounts, accountSuite, accountTests } from './accounts.ts'

export function prefundSuite(run: ConformanceRun): void {
  describe('prefund', () => {
    const paying = () => required(run.fixture.prefund, 'prefund in the fixture')
    const accounts = (): Accounts => ({
      open: async (swap) => paying().consent(await run.fundingOf(swap)),
      pay: (_, amount) => paying().pay(amount),
      passDeadline: (deadline) => paying().passDeadline(deadline),
      paidBy: 'initiator',
      areShared: true,
      least: 1n,
    })
    const tests = accountTests(run, accounts)

    it('has no address of a swap', () => {
      if (tests.ability().addressOf !== undefined) throw new Error('the ability has addresses of swaps: declare depositAddress instead')
    })

    accountSuite(run, accounts)

    it('initiates nothing that the user did not consent to', async () => {
      const [swap, other] = [await tests.opened(), await tests.propose()]
      await tests.pay(swap)
      await tests.expectNotInitiable(other)
      await tests.initiate(swap)
      await run.confirm()
    })

    it('initiates whatever the initiator did in other swaps', async () => {
      const swap: Swap = await tests.opened()
      await tests.pay(swap)
      await tests.ability().initiate(swap, { ...run.outboxOf(run.solver, swap, 'relay'), revertedRelays: 3 })
      await run.confirm()
      await tests.expectInitiated(swap)
    })
  })
}
