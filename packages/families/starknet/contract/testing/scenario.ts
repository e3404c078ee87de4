// Defines a scenario: calls of the contract in order, and what must be true after each. Scenarios run on the Cairo VM (cairo.test.ts) and
// on any other implementation of the contract, which must agree with it in every step.
import type { HtlcError } from '../client/errors.ts'

/**
 * alice, bob and carol have no contract. `account` is a contract account whose `is_valid_signature` follows the signature. `token` and
 * `htlc` are the contracts themselves.
 */
export type Party = 'alice' | 'bob' | 'carol' | 'account' | 'token' | 'htlc' | 'zero'

export interface ScenarioOrder {
  readonly initiator: Party
  readonly redeemer: Party
  readonly timelock: bigint
  readonly amount: bigint
  readonly secretHash: string
}

export type EntryPoint = 'initiate' | 'initiate_on_behalf' | 'initiate_with_signature' | 'redeem' | 'refund' | 'instant_refund'

/**
 * none      an empty signature
 * answers   the account gives this answer to any digest
 * signs     the account answers 'VALID' if the digest is the one of this order (and of this chain), else 0
 * panics    the account panics
 * calls     the account first calls the contract, then answers 'VALID'
 */
export type Signature =
  | { readonly kind: 'none' }
  | { readonly kind: 'answers'; readonly answer: bigint }
  | { readonly kind: 'signs'; readonly what: 'initiate' | 'refund'; readonly order: ScenarioOrder; readonly chainId?: string }
  | { readonly kind: 'panics' }
  | { readonly kind: 'calls'; readonly call: HtlcCall }

export interface HtlcCall {
  readonly entry: EntryPoint
  readonly order: ScenarioOrder
  /** `secret` is 64 hex digits and present for a redeem. */
  readonly secret?: string
  readonly signature?: Signature
}

/** With `false` the token answers false, with `fee` one unit less arrives, and with `nothing` no unit does, though it answers true. */
export type Fault = 'false' | 'fee' | 'nothing' | 'none'

/**
 * call      a transaction of `from` in a block of time `at`. Without an error it succeeds and emits exactly its own event. With one, it panics with it
 *           first, and changes nothing
 * fund      gives tokens, and lets the contract take as many
 * mint      gives tokens
 * approve   lets the contract take tokens of `from`
 * fault     how the token behaves from now on
 * hook      the next transfer of the token calls the contract first, once; the call comes from the token, which needs no approval
 * chain     the id of the chain from now on; it is SN_SEPOLIA when the contract is deployed
 * state     what `initiated_at` answers for an order
 * balances  of the token
 */
export type Step =
  | CallStep
  | { readonly kind: 'fund'; readonly party: Party; readonly amount: bigint }
  | { readonly kind: 'mint'; readonly to: Party; readonly amount: bigint }
  | { readonly kind: 'approve'; readonly from: Party; readonly amount: bigint }
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'hook'; readonly call: HtlcCall }
  | { readonly kind: 'chain'; readonly chainId: string }
  | { readonly kind: 'state'; readonly order: ScenarioOrder; readonly initiatedAt: bigint }
  | { readonly kind: 'balances'; readonly balances: Partial<Readonly<Record<Party, bigint>>> }

export type CallStep = HtlcCall & {
  readonly kind: 'call'
  readonly at: bigint
  readonly from: Party
  readonly error?: HtlcError | 'ERC20: insufficient allowance' | 'ERC20: insufficient balance'
}

export interface Scenario {
  readonly name: string
  readonly steps: readonly Step[]
}

export const scenarioChainId = 'SN_SEPOLIA'

export const partyAddresses = { alice: '0xa11ce', bob: '0xb0b', carol: '0xca401', zero: '0x0' } as const
