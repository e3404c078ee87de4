// Gives short ways to write the steps of scenarios.
import { createHash } from 'node:crypto'
import type { CallStep, EntryPoint, HtlcCall, Party, ScenarioOrder, Signature, Step } from './scenario.ts'

const secret = '07'.repeat(32)
export const otherSecret = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff'
const secretHash = createHash('sha256').update(Buffer.from(secret, 'hex')).digest('hex')

export const start = 1_700_000_000n
const timelock = 1_000n
export const amount = 700n

export const order: ScenarioOrder = { initiator: 'alice', redeemer: 'bob', timelock, amount, secretHash }
export const ofAccount: ScenarioOrder = { ...order, initiator: 'account' }
export const forAccount: ScenarioOrder = { ...order, redeemer: 'account' }

type Error = CallStep['error']

const callStep = (call: HtlcCall, from: Party, at: bigint, error: Error): CallStep => ({
  ...call,
  kind: 'call',
  from,
  at,
  ...(error === undefined ? {} : { error }),
})

export const initiate = (what: ScenarioOrder = order, error?: Error): CallStep =>
  callStep({ entry: 'initiate', order: what }, what.initiator, start, error)

export const initiateOnBehalf = (what: ScenarioOrder, from: Party, error?: Error): CallStep =>
  callStep({ entry: 'initiate_on_behalf', order: what }, from, start, error)

export const initiateSigned = (what: ScenarioOrder, signature: Signature, error?: Error): CallStep =>
  callStep({ entry: 'initiate_with_signature', order: what, signature }, 'carol', start, error)

export const redeem = (what: ScenarioOrder = order, error?: Error, shown: string = secret): CallStep =>
  callStep({ entry: 'redeem', order: what, secret: shown }, 'carol', start + 5n, error)

export const redeemLate = (what: ScenarioOrder = order): CallStep =>
  callStep({ entry: 'redeem', order: what, secret }, 'carol', start + 10n * timelock, undefined)

export const refund = (what: ScenarioOrder = order, error?: Error, after: bigint = what.timelock): CallStep =>
  callStep({ entry: 'refund', order: what }, 'carol', start + after, error)

export const instantRefund = (what: ScenarioOrder, from: Party, signature: Signature, error?: Error): CallStep =>
  callStep({ entry: 'instant_refund', order: what, signature }, from, start + 5n, error)

export const none: Signature = { kind: 'none' }
export const answers = (answer: bigint): Signature => ({ kind: 'answers', answer })
export const panics: Signature = { kind: 'panics' }
export const signs = (what: 'initiate' | 'refund', signed: ScenarioOrder, chainId?: string): Signature => ({
  kind: 'signs',
  what,
  order: signed,
  ...(chainId === undefined ? {} : { chainId }),
})
export const calls = (entry: EntryPoint, what: ScenarioOrder): Signature => ({ kind: 'calls', call: { entry, order: what, secret } })

export const state = (initiatedAt: bigint, what: ScenarioOrder = order): Step => ({ kind: 'state', order: what, initiatedAt })
export const balances = (expected: Partial<Readonly<Record<Party, bigint>>>): Step => ({ kind: 'balances', balances: expected })
export const fault = (kind: 'false' | 'fee' | 'nothing' | 'none'): Step => ({ kind: 'fault', fault: kind })
export const hook = (entry: EntryPoint, what: ScenarioOrder): Step => ({ kind: 'hook', call: { entry, order: what, secret } })

export const rich = (party: Party, has: bigint = 5_000n): Step => ({ kind: 'fund', party, amount: has })
