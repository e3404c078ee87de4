/** Makes a `Risk` without caps and records. Tests choose what is halted. */
import type { Halt } from '@tandem/party/store/solver/halts.ts'
import { noLoad } from './caps.ts'
import { NO_QUOTES, NO_RECORD } from './customers.ts'
import type { Halts } from './halts.ts'
import { createRisk, type Risk } from './risk.ts'
import { riskSettings } from './settings.ts'

export function haltsOf(halt: () => Halt | null): Pick<Halts, 'find' | 'readFor'> {
  return { find: halt, readFor: async () => halt() }
}

export function testRisk(
  now: () => bigint,
  halts: Pick<Halts, 'find' | 'readFor'> = haltsOf(() => null),
  unrevealedPercent: () => bigint = () => 0n,
): Risk {
  return createRisk({
    halts,
    exposure: { assertBelowUnfinalCap: () => undefined, unrevealedPercent },
    customers: {
      recordsOf: () => ({ app: NO_RECORD, quotes: NO_QUOTES, owner: NO_RECORD }),
      loadsOf: () => ({ pair: noLoad, app: noLoad, owner: noLoad }),
      note: () => undefined,
      noteQuote: () => undefined,
    },
    ...riskSettings(),
    now,
  })
}
