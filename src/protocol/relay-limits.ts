/** Limits for relayed initiations: one that reverts costs us its fee, and the initiator can make it revert. */
export const relayLimits = {
  /** Reverts for one order, or for all orders of an initiator in 24 hours. */
  reverted: 3,
  /** The same if a contract verifies the signature: it can use up the whole fee limit, and can pass the simulation but revert in a block. */
  revertedByContract: 1,
  /** Unmined relays for one initiator on one chain: one change of its allowance makes all of them revert. */
  unmined: 3,
} as const
