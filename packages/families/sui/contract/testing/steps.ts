// Gives short ways to write the steps of scenarios.
import { createHash } from 'node:crypto'
import type { AbortName } from '../client/errors.ts'
import type { HtlcCall, Party, RefundSignature, ScenarioOrder, Step } from './scenario.ts'

const secret = '07'.repeat(32)
export const otherSecret = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff'

export const hashOf = (hex: string): string => createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex')

/** The time of a step is this by default. In a scenario time never goes back. */
export const start = 1_700_000_000_000n
const timelock = 1_000_000n

export const order: ScenarioOrder = { initiator: 'alice', redeemer: 'bob', timelock, amount: 700n, secretHash: hashOf(secret) }

const callStep = (call: HtlcCall, from: Party, at: bigint, abort: AbortName | undefined): Step => ({
  kind: 'call',
  at,
  from,
  call,
  ...(abort === undefined ? {} : { abort }),
})

export const initiate = (what: ScenarioOrder = order, abort?: AbortName): Step =>
  callStep({ entry: 'initiate', order: what }, 'alice', start, abort)

export const initiateFrom = (from: Party, what: ScenarioOrder, abort?: AbortName): Step =>
  callStep({ entry: 'initiate', order: what }, from, start, abort)

export const initiateWith = (coinValue: bigint, abort: AbortName): Step =>
  callStep({ entry: 'initiate', order, coinValue }, 'alice', start, abort)

export const initiateBefore = (deadline: bigint, abort?: AbortName): Step =>
  callStep({ entry: 'initiate', order, deadline }, 'alice', start, abort)

export const redeem = (what: ScenarioOrder = order, abort?: AbortName, shown: string = secret): Step =>
  callStep({ entry: 'redeem', order: what, secret: shown }, 'carol', start, abort)

export const refund = (what: ScenarioOrder = order, abort?: AbortName, passed: bigint = what.timelock): Step =>
  callStep({ entry: 'refund', order: what }, 'carol', start + passed, abort)

export const instantRefund = (from: Party, abort?: AbortName, what: ScenarioOrder = order): Step =>
  callStep({ entry: 'instant_refund', order: what }, from, start, abort)

export const signedRefund = (signature: RefundSignature, abort?: AbortName, what: ScenarioOrder = order): Step =>
  callStep({ entry: 'instant_refund_with_signature', order: what, signature }, 'carol', start, abort)

export const after = (ms: bigint, step: Step): Step => (step.kind === 'call' ? { ...step, at: start + ms } : step)

export const state = (expected: bigint, what: ScenarioOrder = order): Step => ({ kind: 'state', order: what, state: expected })
export const balances = (expected: Partial<Readonly<Record<Party, bigint>>>): Step => ({ kind: 'balances', balances: expected })
export const rich = (party: Party, amount: bigint = 5_000n): Step => ({ kind: 'fund', party, amount })
