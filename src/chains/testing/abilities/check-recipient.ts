/** A family where a valid address may be unable to receive. */
import { describe, expect, it } from 'vitest'
import type { ConformanceFixture } from '../conformance.fixture.ts'
import { type ConformanceRun, required } from '../run.fixture.ts'

type RecipientRun = {
  readonly user: Pick<ConformanceRun['user'], 'address'>
  readonly fixture: Pick<ConformanceFixture, 'client' | 'asset' | 'incapableRecipient'>
}

export function checkRecipientSuite(run: RecipientRun): void {
  describe('check recipient', () => {
    const check = (address: string) => required(run.fixture.client.checkRecipient, 'checkRecipient')(address, run.fixture.asset)

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
