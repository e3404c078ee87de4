/** The chain families, and the data that only chains of one family have: one typed section each. */

/** How an EVM chain charges for transactions. */
export type FeeModel = {
  /** 'legacy': transactions with one gas price (EIP-155); 'eip1559': a base fee that is burned and a tip. */
  readonly gasPrice: 'eip1559' | 'legacy'
  /**
   * The fee for publishing a transaction on another chain, on top of its gas or included in it.
   * none       nothing, or included in the gas price
   * in-gas     in the estimate of its gas (Arbitrum)
   * op-stack   out of the sender's balance, as the chain's GasPriceOracle says
   * citrea     out of the sender's balance, by the size of the state change
   */
  readonly dataFee: 'none' | 'in-gas' | 'op-stack' | 'citrea'
  /** Whatever a node claims, we never offer more for one gas: in the smallest unit of the chain's coin. */
  readonly maxPerGas: bigint
}

export type EvmData = {
  readonly fees: FeeModel
  /** Nodes do not show unmined transactions: one that they do not know may still be pending. */
  readonly hidesUnmined: boolean
}

export type StarknetData = {
  /** The class of the accounts of our keys. An account's address is computed from it: the salt is the public key, which is also the only argument of the constructor. */
  readonly accountClass: string
  /** The ERC-20 that fees are paid in. */
  readonly feeToken: string
  /** Whatever a node claims, we never offer more for one gas: in the smallest unit of the fee token. The tip counts as part of the L2 gas price. */
  readonly maxPerGas: { readonly l1Gas: bigint; readonly l1DataGas: bigint; readonly l2Gas: bigint }
}

export type HypercoreData = {
  /** The index of HYPE on HyperCore, which pays there for transfers to HyperEVM. */
  readonly hypeToken: bigint
}

export type FamilyData =
  | { readonly family: 'evm'; readonly evm: EvmData }
  | { readonly family: 'hypercore'; readonly evm: EvmData; readonly hypercore: HypercoreData }
  | { readonly family: 'starknet'; readonly starknet: StarknetData }
  | { readonly family: 'bitcoin' | 'tron' | 'solana' | 'sui' | 'xrpl' }

export type FamilyName = FamilyData['family']
