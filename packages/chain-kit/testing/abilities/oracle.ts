/** A family where price feeds of others can be read. */
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, required } from '../run.fixture.ts'

export function oracleSuite(run: ConformanceRun): void {
  describe('oracle', () => {
    const read = (contract: string) => required(run.fixture.client.oracle, 'oracle')(contract)
    const deploy = (answer: bigint) => required(run.fixture.priceFeed, 'priceFeed')({ answer, decimals: 8, updatedAt: 1_700_000_000n })

    it('reads a feed as it is, also a price that cannot be', async () => {
      for (const answer of [6_125_050_000_000n, 0n, -5n])
        expect(await read(await deploy(answer))).toEqual({ answer, decimals: 8, updatedAt: 1_700_000_000n })
    })

    it('fails for an account that is no feed, and for a text that is no address', async () => {
      await expect(read(run.solver.address)).rejects.toThrow('does not answer as a price feed')
      await expect(read('nowhere')).rejects.toThrow('nowhere')
    })
  })
}
