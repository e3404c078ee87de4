// These tests play every promise of the program on a real SVM, for SOL and for tokens.
import { describe, it } from 'vitest'
import { createHtlc, kinds } from './testing/order.ts'
import { scenariosOf } from './testing/scenarios.ts'

describe.each(kinds)('the HTLC for %s', (kind) => {
  it.each(scenariosOf(kind).map((scenario) => [scenario.name, scenario] as const))('%s', async (_name, { play }) => {
    await play(await createHtlc(kind))
  })
})
