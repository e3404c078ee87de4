/** A family where an account of ours may be unable to send. */

import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, required } from '../run.fixture.ts'

export function checkSenderSuite(run: ConformanceRun): void {
  describe('check sender', () => {
    const check = (address: string) => required(run.fixture.client.checkSender, 'checkSender')(address)

    it('accepts an account that sends', async () => {
      expect(await check(run.solver.address)).toBeNull()
    })

    it('says what an account lacks, and what to do', async () => {
      const { client } = run.fixture
      const address = client.addressOf(createKey(client.curve, randomPrivateKey(client.curve)))
      expect(await check(address)).toEqual({ text: expect.stringContaining(address), advice: expect.stringContaining('tandem deploy') })
    })
  })
}
