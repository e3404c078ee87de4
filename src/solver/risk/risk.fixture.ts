/** A risk without caps and records; tests choose what is halted. */
import type { Halt } from '../../store/solver/halts.ts'
import { noLoad } from './caps.ts'
import type { Halts } from './halts.ts'
import { createRisk, type Risk } from './risk.ts'
import { riskSettings } from './settings.ts'

export function haltsOf(halt: () => Halt | null): Pick<Halts, 'find' | 'read'> {
  return { find: halt, read: async () => halt() }
}

const noRecord = { abandoned: 0, withheld: 0, completed: 0 }

export function testRisk(now: () => bigint, halts: Pick<Halts, 'find' | 'read'> = haltsOf(() => null)): Risk {
  return createRisk({
    halts,
    customers: {
      recordsOf: () => ({ app: noRecord, owner: noRecord }),
      loadsOf: () => ({ pair: noLoad, app: noLoad, owner: noLoad }),
      note: () => undefined,
    },
    ...riskSettings(),
    now,
  })
}
