// Defines a scenario: calls of the module in order, and what must be true after each. Scenarios run on the Move VM (move.nodes.test.ts) and
// on any other implementation of the module, which must agree with it in every step.
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519'
import type { AbortName } from '../client/errors.ts'

/** alice, bob and carol have ed25519 keys. `registry` is the address of the registry itself. */
export type Party = 'alice' | 'bob' | 'carol' | 'registry' | 'zero'

export interface ScenarioOrder {
  readonly initiator: Party
  readonly redeemer: Party
  readonly timelock: bigint
  readonly amount: bigint
  /** The hash has hex digits, usually 64. */
  readonly secretHash: string
}

export interface RefundSignature {
  readonly signer: 'alice' | 'bob' | 'carol'
  readonly order: ScenarioOrder
  /** The message then names another registry than that of the call. */
  readonly elsewhere?: boolean
  /** The default is the signer's key. */
  readonly keyOf?: 'alice' | 'bob' | 'carol'
  readonly cutKey?: number
  readonly cutSignature?: number
}

export type HtlcCall =
  /** The default of `coinValue`, the value of the coin, is the amount. `deadline` is that of an `assert_before` in front of the call. */
  | { readonly entry: 'initiate'; readonly order: ScenarioOrder; readonly coinValue?: bigint; readonly deadline?: bigint }
  /** `secret` has hex digits, usually 64. */
  | { readonly entry: 'redeem'; readonly order: ScenarioOrder; readonly secret: string }
  | { readonly entry: 'refund'; readonly order: ScenarioOrder }
  | { readonly entry: 'instant_refund'; readonly order: ScenarioOrder }
  | { readonly entry: 'instant_refund_with_signature'; readonly order: ScenarioOrder; readonly signature: RefundSignature }

/**
 * call      a transaction of `from` when the clock shows `at`. Without an abort it succeeds and emits exactly its own event. With one, it aborts with
 *           it, and changes nothing
 * fund      gives coins
 * state     what `state` answers for an order
 * balances  the sum of all coins
 */
export type Step =
  | { readonly kind: 'call'; readonly at: bigint; readonly from: Party; readonly call: HtlcCall; readonly abort?: AbortName }
  | { readonly kind: 'fund'; readonly party: Party; readonly amount: bigint }
  | { readonly kind: 'state'; readonly order: ScenarioOrder; readonly state: bigint }
  | { readonly kind: 'balances'; readonly balances: Partial<Readonly<Record<Party, bigint>>> }

export interface Scenario {
  readonly name: string
  readonly steps: readonly Step[]
}

/** Nobody owns these keys: they are used in tests only. */
export const partyKeys = {
  alice: Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(0xa1)),
  bob: Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(0xb0)),
  carol: Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(0xca)),
} as const

export function partyAddress(party: Party, registry: string): string {
  if (party === 'registry') return registry
  return party === 'zero' ? `0x${'0'.repeat(64)}` : partyKeys[party].toSuiAddress()
}
