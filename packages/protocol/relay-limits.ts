/** Limits for relayed initiations: one that reverts costs us its fee, and the initiator can make it revert. */
export type RelayLimits = {
  /** We stop relaying after this many reverts for one order, or for all orders of an initiator in 24 hours. */
  readonly reverted: number
  /** At most this many unmined relays for one initiator on one chain: by changing its allowance once, it makes all of them revert. */
  readonly unmined: number
}

export const relayLimits = {
  /** A key alone decides about the signature. */
  byKey: { reverted: 3, unmined: 3 },
  /** A contract decides: it can burn the whole fee limit, and can pass the simulation and still revert when mined. */
  byContract: { reverted: 1, unmined: 1 },
} as const satisfies Record<string, RelayLimits>
