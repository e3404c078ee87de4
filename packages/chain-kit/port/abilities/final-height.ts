/** Nodes of a chain with a `finalityTag` say which blocks are final. Absent: depth alone counts. */

/**
 * The height of the tagged block, 0 while it is unknown; null when the nodes do not support the tag, so that depth alone counts.
 * Null does not change while connected.
 */
export type FinalHeight = () => Promise<bigint | null>
