/** A chain's name in the registry, such as `ethereum` or `base_sepolia`. */
export type ChainId = string
