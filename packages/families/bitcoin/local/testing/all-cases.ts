// Collects every spend case, for the tests that run them on our node and on a real one.
import { htlcCases } from './htlc-cases.ts'
import { legacyCases } from './legacy-cases.ts'
import { opcodeCases } from './opcode-cases.ts'
import { policyCases } from './policy-cases.ts'
import type { SpendCase } from './spend.ts'
import { tapscriptCases } from './tapscript-cases.ts'
import { witnessCases } from './witness-cases.ts'

export const allCases: readonly SpendCase[] = [
  ...htlcCases,
  ...witnessCases,
  ...legacyCases,
  ...tapscriptCases,
  ...opcodeCases,
  ...policyCases,
]
