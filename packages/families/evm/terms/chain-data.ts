/** Defines the fields that only EVM chains have in the registry. */
import type { Chain } from '@tandem/protocol/chain.ts'

export type FeeModel = {
  /** 'legacy' means one gas price (EIP-155); 'eip1559', a base fee that is burned and a tip. */
  readonly gasPrice: 'eip1559' | 'legacy'
  /**
   * The fee for publishing a transaction on another chain, on top of its gas or included in it.
   * none       nothing, or included in the gas price
   * in-gas     in the estimate of its gas (Arbitrum)
   * op-stack   out of the sender's balance, as the chain's GasPriceOracle says
   * citrea     out of the sender's balance, by the size of the state change
   */
  readonly dataFee: 'none' | 'in-gas' | 'op-stack' | 'citrea'
  /** We never offer more for one gas, whatever a node claims. The unit is the smallest one of the chain's coin. */
  readonly maxPerGas: bigint
}

export type EvmData = {
  readonly fees: FeeModel
  /** Nodes do not show unmined transactions: one that they do not know may still be pending. */
  readonly hidesUnmined: boolean
}

export function evmDataOf({ id, familyData }: Chain): EvmData {
  if (!isEvmData(familyData)) throw new Error(`${id} is no EVM chain`)
  return familyData
}

/** No other family has a fee model. */
const isEvmData = (data: object | undefined): data is EvmData => data !== undefined && 'fees' in data
