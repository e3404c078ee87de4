/** A family that deploys its HTLCs. */
import { describe, expect, it } from 'vitest'
import { createTestSigner } from '../../../keys/keys.fixture.ts'
import { createSecret } from '../../../protocol/secret.ts'
import { type ConformanceRun, required } from '../run.fixture.ts'

export function deploySuite(run: ConformanceRun): void {
  describe('deploy', () => {
    it('a dry run sends nothing, an empty account is refused, it deploys once, and the client accepts the result', async () => {
      const deployHtlc = required(run.family.deployHtlc, 'deployHtlc')
      const { request, whileMining, connect } = required(run.fixture.deploy, 'deploy in the fixture')
      const balance = () => run.fixture.client.balance(run.fixture.client.chain.nativeAsset, run.fixture.client.addressOf(request.signer))
      const before = await balance()
      const planned = await deployHtlc({ ...request, dryRun: true })
      expect(planned.tx).toBeNull()
      expect(await balance()).toBe(before)
      await expect(deployHtlc({ ...request, signer: createTestSigner(createSecret()), dryRun: false })).rejects.toThrow(/holds 0/)
      const deployed = await whileMining(() => deployHtlc({ ...request, dryRun: false }))
      expect(deployed.tx).not.toBeNull()
      const client = connect(deployed.htlc)
      try {
        await client.verifyNode()
      } finally {
        await client.close()
      }
      // With deterministic addresses, the dry run returns the address and a repeat finds the contract.
      if (deployed.htlc !== planned.htlc) return
      expect(deployed).toEqual({ ...planned, tx: deployed.tx })
      expect(await deployHtlc({ ...request, dryRun: false })).toEqual(planned)
    })
  })
}
