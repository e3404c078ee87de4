/** A family where a valid address may be unable to receive. */
import { describe, expect, it } from 'vitest'
import type { ConformanceFixture } from '../conformance.fixture.ts'
import { type ConformanceRun, required } from '../run.fixture.ts'

type RecipientRun = {
  readonly user: Pick<ConformanceRun['user'], 'address'>
  readonly fixture: Pick<ConformanceFixture, 'client' | 'asset' | 'amount' | 'solver' | 'incapableRecipient'>
}

export function checkRecipientSuite(run: RecipientRun): void {
  describe('check recipient', () => {
    /** Asked without a payer as the service does it, and with one as a solver does. */
    async function check(address: string): Promise<string | null> {
      const { client, asset, amount, solver } = run.fixture
      const ask = (payer: string | null) =>
        required(client.checkRecipient, 'checkRecipient')(address, asset, { amount, payer, isTrusted: true })
      const [before, last] = [await ask(null), await ask(client.addressOf(solver))]
      expect(before === null).toBe(last === null)
      return last
    }

    it('accepts an account that can receive, repeatedly', async () => {
      expect(await check(run.user.address)).toBeNull()
      expect(await check(run.user.address)).toBeNull()
    })

    it('says why an account cannot receive, although its address is valid', async () => {
      const address = await required(run.fixture.incapableRecipient, 'incapableRecipient')()
      expect(run.fixture.client.text.parseAddress(address)).toBe(address)
      expect(await check(address)).toMatch(/\w+ \w+/)
    })
  })
}
