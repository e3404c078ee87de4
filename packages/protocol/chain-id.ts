/** A chain has this name in the registry, such as `ethereum` or `base_sepolia`. */
export type ChainId = string
