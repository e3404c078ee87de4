// Measures the gas of each operation: the difference between two tests, one of which reads the call and does not make it.
import { type CairoTestSource, playTest } from './cairo-tests.ts'
import { encodeBareCall, encodeScenario } from './encode.ts'
import type { CairoTest } from './report.ts'
import type { CallStep, Step } from './scenario.ts'
import {
  forAccount,
  initiate,
  initiateOnBehalf,
  initiateSigned,
  instantRefund,
  none,
  ofAccount,
  order,
  redeem,
  refund,
  rich,
  signs,
} from './steps.ts'

export interface GasOperation {
  readonly name: string
  readonly before: readonly Step[]
  readonly call: CallStep
  /** The limit is some 1 % above the measured gas. */
  readonly limit: number
}

export interface GasRow {
  readonly operation: string
  /** The gas includes inner calls: the plain token, and the account that checks a signature. */
  readonly gas: number
  readonly limit: number
}

const signedInitiation = initiateSigned(ofAccount, signs('initiate', ofAccount))
const signedRefund = instantRefund(forAccount, 'carol', signs('refund', forAccount))

export const gasOperations: readonly GasOperation[] = [
  { name: 'initiate', before: [rich('alice')], call: initiate(), limit: 990_000 },
  { name: 'initiate on behalf', before: [rich('carol')], call: initiateOnBehalf(order, 'carol'), limit: 992_000 },
  { name: 'initiate with signature', before: [rich('account')], call: signedInitiation, limit: 1_212_000 },
  { name: 'redeem', before: [rich('alice'), initiate()], call: redeem(), limit: 1_460_000 },
  { name: 'refund', before: [rich('alice'), initiate()], call: refund(), limit: 570_000 },
  { name: 'instant refund', before: [rich('alice'), initiate()], call: instantRefund(order, 'bob', none), limit: 575_000 },
  { name: 'instant refund with signature', before: [rich('alice'), initiate(forAccount)], call: signedRefund, limit: 750_000 },
]

const testName = ({ name }: GasOperation, kind: 'CALL' | 'SKIP'): string => `${kind}_${name}`.toLowerCase().replaceAll(' ', '_')

export function gasTests(operations: readonly GasOperation[]): readonly CairoTestSource[] {
  return operations.flatMap((operation) =>
    (['CALL', 'SKIP'] as const).map((kind) => {
      const test = testName(operation, kind)
      const felts = [...encodeScenario({ name: test, steps: operation.before }), ...encodeBareCall(operation.call, kind)]
      return playTest(test, 'crate', test, felts)
    }),
  )
}

export function readGas(operations: readonly GasOperation[], report: ReadonlyMap<string, CairoTest>): readonly GasRow[] {
  const gasOf = (test: string): number => {
    const found = report.get(test)
    if (found?.passed !== true) throw new Error(`the Cairo test ${test} failed: ${found?.panic ?? 'it did not run'}`)
    return found.gas
  }
  return operations.map((operation) => ({
    operation: operation.name,
    gas: gasOf(testName(operation, 'CALL')) - gasOf(testName(operation, 'SKIP')),
    limit: operation.limit,
  }))
}
