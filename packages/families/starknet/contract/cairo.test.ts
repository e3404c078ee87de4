// These tests run the contract on the Cairo virtual machine. A run takes about a minute, in a child process.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { renderArtifacts } from './compiler/render.ts'
import { runCairo } from './compiler/run.ts'
import { contractSource } from './compiler/sources.ts'
import { scenarioTest, testCrate, testName, writtenTests } from './testing/cairo-tests.ts'
import { gasOperations, gasTests, readGas } from './testing/gas.ts'
import { outsideVectorTest } from './testing/outside-vectors.ts'
import { type CairoTest, readReport } from './testing/report.ts'
import { scenarios } from './testing/scenarios.ts'
import { vectors, vectorTest } from './testing/vectors.ts'

/** The limit is for a machine that does ten things at once. */
const timeout = 1_800_000
/** Only the most expensive operation is measured where time matters: two tests for each take seconds. */
const measured = gasOperations.filter(({ name }) => name === 'redeem' || process.env.TANDEM_ALL_MUTANTS === 'yes')
const passed = { passed: true, panic: null }

describe('the Cairo contract', () => {
  let report: ReadonlyMap<string, CairoTest>

  beforeAll(async () => {
    const source = testCrate([
      ...scenarios.map(scenarioTest),
      ...vectors.map(vectorTest),
      ...vectors.map(outsideVectorTest),
      ...gasTests(measured),
    ])
    report = readReport(await runCairo({ what: 'test', source }))
  }, timeout)

  it.each(scenarios.map(({ name }, index) => ({ name, index })))('$name', ({ index }) => {
    expect(report.get(testName(index))).toMatchObject(passed)
  })

  it.each(vectors.map(({ chainId }, index) => ({ chainId, index })))('hashes as the client does on $chainId', ({ index }) => {
    expect(report.get(`vector_${index}`)).toMatchObject(passed)
  })

  it.each(vectors.map(({ chainId }, index) => ({ chainId, index })))('reads and hashes outside executions as on $chainId', ({ index }) => {
    expect(report.get(`outside_vector_${index}`)).toMatchObject(passed)
  })

  it.each(measured)('takes no more gas for a $name than its limit', (operation) => {
    const [row] = readGas([operation], report)
    expect(row?.gas).toBeGreaterThan(operation.limit / 2)
    expect(row?.gas).toBeLessThanOrEqual(operation.limit)
  })

  it.each(writtenTests)('%s', (name) => {
    expect(report.get(name)).toMatchObject(passed)
  })
})

test('the committed class is what the sources give', { timeout }, async () => {
  const compiled = renderArtifacts(await runCairo({ what: 'compile', source: contractSource() }))
  for (const name of ['htlc.sierra.json', 'htlc.abi.json']) {
    expect(compiled.get(name) === readFileSync(join(import.meta.dirname, 'artifacts', name), 'utf8'), name).toBe(true)
  }
})
