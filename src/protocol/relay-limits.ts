/** Limits for relayed initiations: one that reverts costs us gas, and the initiator can make it revert. */
export const relayLimits = {
  /** Failed on the chain, for one order or for all of an initiator in 24 hours. */
  reverted: 3,
  /** The same where a contract judges the signature: it burns as much gas as we allow, and says one thing to whoever tries and another in a block. */
  revertedByContract: 1,
  /** Promised to one initiator on one chain and not mined yet: one change of an allowance makes all of them fail. */
  unmined: 3,
} as const
