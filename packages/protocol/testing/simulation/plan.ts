/** The input of one simulated history: block times and reorgs of two chains, and the behaviour of every party. It is plain data that a test generates and shrinks. */
import type { Leg } from '../../order.ts'
import type { Conduct } from './honest-party.ts'
import type { ModelKind } from './model-order.ts'

export type PlannedDeposit = {
  readonly at: number
  readonly amount: 'exact' | 'nearly' | 'half' | 'dust' | 'over'
  readonly waits: number
  /** Its sender replaces it at the end of `waits`, just before it would have been mined. */
  readonly vanishes: boolean
}

/** A user who knows the secret redeems the destination without the service by one of these tactics. */
export type RedeemTactic =
  | { readonly kind: 'never' }
  /** The redeem is mined `after` seconds after the destination deposit, and in the mempool `shown` seconds before that. */
  | { readonly kind: 'timed'; readonly after: number; readonly shown: number }
  /** The redeem is mined at the last moment, ahead of the refund in the same block. */
  | { readonly kind: 'snipe' }

export type Undo = { readonly what: 'deposit' | 'redeem'; readonly after: number; readonly drops: boolean }

export type Plan = {
  readonly kinds: Readonly<Record<Leg, ModelKind>>
  /** Each block has a speed in percent from fastest to slowest. The list repeats. */
  readonly pace: Readonly<Record<Leg, readonly number[]>>
  readonly reorgs: readonly { readonly leg: Leg; readonly at: number; readonly drops: boolean }[]
  /** A deposit or redeem on this leg is undone by a reorg this many seconds after it was mined. */
  readonly undoes: Readonly<Record<Leg, Undo | null>>
  readonly granted: boolean
  /** The client made the secret and offers it to the service from then on, until it is taken. It is null if the service made the secret. */
  readonly revealsAt: number | null
  /** The user asks for an instant refund from then on, until the solver signs one. Null means never. */
  readonly takesBackAt: number | null
  readonly userDeposits: readonly PlannedDeposit[]
  /** Strangers send these, or the solver if it is dishonest. `at` counts from the first source deposit. */
  readonly destinationDeposits: readonly PlannedDeposit[]
  readonly service: Conduct | 'colludes with the user'
  readonly userRedeems: RedeemTactic
  readonly solver: Conduct | 'dishonest'
}
