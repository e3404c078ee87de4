/** Nodes that say when there is a new block. It only saves waiting for the next poll: nobody believes it, and polls go on. */

/**
 * Calls `onBlock` soon after each new block, perhaps several times, perhaps for a block that never was. A connection that breaks is opened
 * again. Returns a function that ends it.
 */
export type NewBlocks = (onBlock: () => void) => () => void
