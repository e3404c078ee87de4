/** Tests a chain on which affiliates are paid. */
import type { Key } from '@tandem/keys/key.ts'
import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, required } from '../run.fixture.ts'

export function distributorSuite(run: ConformanceRun): void {
  describe('pays affiliates', () => {
    const distributor = () => required(run.fixture.client.distributor, 'distributor')
    const fixture = () => required(run.fixture.distributor, 'distributor in the fixture')
    const newKey = () => createKey(run.family.curve, randomPrivateKey(run.family.curve))
    const affiliate = () => run.fixture.client.addressOf(newKey())
    const onProgress = () => undefined
    const signer = () => run.fixture.solver.signerFor(testPurpose)
    const deploy = (key: Key, dryRun = false) =>
      fixture().whileMining(() => distributor().deploy({ key, signer: signer(), dryRun, bringDeployer: true, onProgress }))
    const balanceOf = (owner: string) => run.fixture.client.balance(run.fixture.asset, owner)
    const fund = (key: Key, amount: bigint) =>
      fixture().whileMining(() => distributor().fund({ key, asset: run.fixture.asset, amount, signer: signer(), onProgress }))

    it('has one contract for each key, deployed once, at an address that is known before', async () => {
      const key = newKey()
      const contract = distributor().contractOf(key)
      expect(run.fixture.client.text.parseAddress(contract)).toBe(contract)
      expect(distributor().contractOf(newKey())).not.toBe(contract)
      expect(await distributor().isDeployed(key)).toBe(false)
      await expect(fund(key, 1n)).rejects.toThrow(contract)
      expect(await deploy(key, true)).toMatchObject({ contract, tx: null })
      expect(await distributor().isDeployed(key)).toBe(false)
      const deployed = await deploy(key)
      expect(deployed).toMatchObject({ contract, tx: run.fixture.client.text.parseTransactionId(deployed.tx ?? '') })
      expect(await distributor().isDeployed(key)).toBe(true)
      expect(await deploy(key)).toEqual({ ...deployed, tx: null })
    })

    it('pays a signed total once, and then only what was earned since', async () => {
      const key = newKey()
      const { contract } = await deploy(key)
      const { amount, asset } = run.fixture
      const recipient = affiliate()
      const account = { recipient, asset }
      const sign = (by: Key, total: bigint) =>
        distributor().sign(by.signerFor({ kind: 'claim', chain: run.fixture.client.chain.id, asset, recipient, total }), {
          ...account,
          total,
        })
      const claim = async (total: bigint, by = key) =>
        fixture().claim({ contract, token: distributor().tokenOf(asset), recipient, total }, await sign(by, total))
      const read = async () => ({
        paid: await distributor().paid(key, [{ ...account, recipient: affiliate() }, account]),
        has: await balanceOf(recipient),
      })

      const tx = await fund(key, amount)
      expect(run.fixture.client.text.parseTransactionId(tx)).toBe(tx)
      expect(await balanceOf(contract)).toBe(amount)
      expect(await read()).toEqual({ paid: [0n, 0n], has: 0n })
      expect(await claim(amount / 3n)).toBe(true)
      expect(await claim(amount / 3n)).toBe(false)
      expect(await claim(amount / 2n, newKey())).toBe(false)
      expect(await read()).toEqual({ paid: [0n, amount / 3n], has: amount / 3n })
      expect(await claim(amount)).toBe(true)
      expect(await read()).toEqual({ paid: [0n, amount], has: amount })
      expect(await balanceOf(contract)).toBe(0n)
    })
  })
}
