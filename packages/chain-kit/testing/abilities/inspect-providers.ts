/** A family whose providers can be inspected. */
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, required } from '../run.fixture.ts'

export function inspectProvidersSuite(run: ConformanceRun): void {
  describe('inspect providers', () => {
    it('reports each provider by its host, at least one of them at the tip', async () => {
      const { client } = run.fixture
      const reports = await required(client.inspectProviders, 'inspectProviders')()
      const { height } = await client.tip()
      expect(reports.some((report) => report.error === null && report.height === height && report.behind === 0n)).toBe(true)
      for (const { name } of reports) expect(name).not.toMatch(/[/@?]/)
    })
  })
}
