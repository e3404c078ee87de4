/** Limits for relayed initiations: one that reverts costs us its fee, and the initiator can make it revert. */
export const relayLimits = {
  /** We stop relaying after this many reverts for one order, or for all orders of an initiator in 24 hours. */
  reverted: 3,
  /** The same if a contract verifies the signature: it can burn the whole fee limit, and can pass the simulation and still revert when mined. */
  revertedByContract: 1,
  /** At most this many unmined relays for one initiator on one chain: by changing its allowance once, it makes all of them revert. */
  unmined: 3,
} as const
