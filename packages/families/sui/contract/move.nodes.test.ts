// These tests run the module on the Move VM.
import { join } from 'node:path'
import { beforeAll, expect, it, test } from 'vitest'
import { compilePackage, readPackage, testPackage } from './compiler/move.ts'
import { type Report, readReport } from './mutation/play-mutants.ts'
import { describeOnVm, framework } from './testing/framework.ts'
import { playerOf, registryTests, scenarioTests, testPrefix } from './testing/move-tests.ts'
import { scenarios } from './testing/scenarios.ts'
import { vectorTests } from './testing/vectors.ts'

/** The limit is for a busy machine. */
const timeout = 600_000
const files = readPackage(import.meta.dirname)

describeOnVm('the Move module', () => {
  let report: Report

  beforeAll(async () => {
    const tests = {
      'tests/player.move': playerOf('htlc'),
      'tests/scenarios.move': await scenarioTests('htlc', new Map(scenarios.entries())),
      'tests/vectors.move': vectorTests(),
      'tests/registries.move': registryTests,
    }
    report = readReport(await testPackage({ ...files, ...tests }, framework))
  }, timeout)

  const expectPassed = (part: string): void => {
    const found = [...report.tests].filter(([name]) => name.includes(part))
    expect(found.length).toBeGreaterThan(0)
    const failed = found.filter(([, passed]) => !passed).map(([name]) => name)
    expect(failed, report.output).toEqual([])
  }

  it.each(scenarios.map(({ name }, index) => ({ name, index })))('$name', ({ index }) => {
    expectPassed(testPrefix(index))
  })

  it('hashes as the client does', () => {
    expectPassed('vectors::')
  })

  it('keeps registries apart', () => {
    expectPassed('registries::')
  })
})

describeOnVm('the framework', () => {
  test('gives the same bytecode as our interfaces of it', { timeout }, async () => {
    const [ours, real] = [await compilePackage(files, join(import.meta.dirname, 'interfaces')), await compilePackage(files, framework)]
    expect(real).toEqual(ours)
  })
})
