/** Tests a family that deploys its HTLCs. */
import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AccountRequest, DeployRequest } from '../../port/abilities/deploy.ts'
import { type ConformanceRun, required } from '../run.fixture.ts'

export function deploySuite(run: ConformanceRun): void {
  describe('deploy', () => {
    const deploy = (change: Partial<DeployRequest>) => required(run.family.deployHtlc, 'deployHtlc')({ ...fixture().request, ...change })
    const fixture = () => required(run.fixture.deploy, 'deploy in the fixture')
    const balance = () => {
      const { client } = run.fixture
      return client.balance(client.chain.nativeAsset, client.addressOf(fixture().request.signer))
    }
    async function expectNothingSent(work: Promise<unknown>): Promise<void> {
      const before = await balance()
      await work
      await run.fixture.mine(1)
      expect(await balance()).toBe(before)
    }

    it('a dry run sends nothing', async () => {
      await expectNothingSent(expect(deploy({ dryRun: true })).resolves.toMatchObject({ tx: null }))
    })

    it('refuses an account that cannot pay, and says what it holds', async () => {
      const signer = createKey(run.family.curve, randomPrivateKey(run.family.curve)).signerFor(testPurpose)
      await expect(deploy({ signer, dryRun: false })).rejects.toThrow(/holds 0/)
    })

    it('refuses a missing token and the token of another asset, before anything is sent', async () => {
      const { wrongTokens } = fixture()
      expect(wrongTokens.length).toBeGreaterThan(0)
      for (const { token, reason } of wrongTokens) await expectNothingSent(expect(deploy({ token, dryRun: false })).rejects.toThrow(reason))
    })

    it('deploys once, as planned, and the client accepts the result', async () => {
      const planned = await deploy({ dryRun: true })
      const said: string[] = []
      const deployed = await fixture().whileMining(() => deploy({ dryRun: false, onProgress: (what) => void said.push(what) }))
      expect(run.fixture.client.text.parseTransactionId(deployed.tx ?? '')).toBe(deployed.tx)
      expect(deployed.codeHash).toMatch(/^0x[0-9a-f]{64}$/)
      expect(said.join('\n')).toContain(` at ${deployed.htlc} in ${deployed.tx}`)
      const client = fixture().connect(deployed.htlc)
      onTestFinished(() => client.close())
      await client.verifyNode()
      // With deterministic addresses, the dry run returns the address and a repeat finds the contract.
      if (deployed.htlc !== planned.htlc) return
      expect(deployed).toEqual({ ...planned, tx: deployed.tx })
      await expectNothingSent(expect(deploy({ dryRun: false })).resolves.toEqual(planned))
    })
  })
}

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
