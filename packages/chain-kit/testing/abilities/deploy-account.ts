/** A family whose accounts are contracts. */

import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import { describe, expect, it } from 'vitest'
import type { AccountRequest } from '../../port/abilities/deploy.ts'
import { type ConformanceRun, required } from '../run.fixture.ts'

export function deployAccountSuite(run: ConformanceRun): void {
  describe('deploy an account', () => {
    const fixture = () => required(run.fixture.deployAccount, 'deployAccount in the fixture')
    const deploy = (change: Pick<AccountRequest, 'signer' | 'dryRun'>) =>
      required(run.family.deployAccount, 'deployAccount')({ ...fixture().request, ...change })
    const balanceOf = (address: string) => run.fixture.client.balance(run.fixture.client.chain.nativeAsset, address)

    it('refuses a key that cannot pay, and says which address holds nothing', async () => {
      const signer = createKey(run.family.curve, randomPrivateKey(run.family.curve)).signerFor(testPurpose)
      await expect(deploy({ signer, dryRun: false })).rejects.toThrow(`${run.fixture.client.addressOf(signer)} holds 0`)
    })

    it('a dry run sends nothing; then it is deployed once', async () => {
      const signer = await fixture().fundedSigner()
      const address = run.fixture.client.addressOf(signer)
      const before = await balanceOf(address)
      expect(await fixture().whileMining(() => deploy({ signer, dryRun: true }))).toEqual({ address, tx: null })
      expect(await balanceOf(address)).toBe(before)

      const deployed = await fixture().whileMining(() => deploy({ signer, dryRun: false }))
      expect(deployed).toEqual({ address, tx: run.fixture.client.text.parseTransactionId(deployed.tx ?? '') })
      const after = await balanceOf(address)
      expect(after).toBeLessThan(before)

      expect(await fixture().whileMining(() => deploy({ signer, dryRun: false }))).toEqual({ address, tx: null })
      expect(await balanceOf(address)).toBe(after)
    })
  })
}
