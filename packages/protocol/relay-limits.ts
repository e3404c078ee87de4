/** Relayed initiations are limited: one that reverts costs the service its fee, and the initiator can make it revert. */
export type RelayLimits = {
  /** Relaying stops after this many reverts for one order, or for all orders of an initiator in 24 hours. */
  readonly reverted: number
  /** One initiator may have this many unmined relays on one chain: by changing its allowance once, it makes all of them revert. */
  readonly unmined: number
}

export const relayLimits = {
  /** A key alone decides about the signature. */
  byKey: { reverted: 3, unmined: 3 },
  byContract: { reverted: 1, unmined: 1 },
} as const satisfies Record<string, RelayLimits>
