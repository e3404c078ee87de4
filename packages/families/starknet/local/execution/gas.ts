// Computes the cost of a transaction. The amounts are similar to those of a real network, but no execution is measured.
import type { Felts } from '../felt.ts'

export type Gas = { readonly l1Gas: bigint; readonly l1DataGas: bigint; readonly l2Gas: bigint }

/** The prices are in FRI per unit of gas. */
export type GasPrices = Gas

export type ResourceBound = { readonly maxAmount: bigint; readonly maxPrice: bigint }
export type ResourceBounds = { readonly [Resource in keyof Gas]: ResourceBound }

export const defaultGasPrices: GasPrices = { l1Gas: 40_000_000_000_000n, l1DataGas: 20_000_000_000n, l2Gas: 3_000_000_000n }

const BASE_L2_GAS = 500_000n
const CALL_L2_GAS = 120_000n
const WRITE_L2_GAS = 30_000n
const EVENT_FELT_L2_GAS = 10_240n
const CALLDATA_FELT_L2_GAS = 5_120n
/** A declaration stores the class in full. */
const CLASS_FELT_L2_GAS = 40_000n
const BASE_L1_DATA_GAS = 128n
const WRITE_L1_DATA_GAS = 64n

export interface GasMeter {
  countCall(): void
  countEvent(keys: Felts, data: Felts): void
  countClass(felts: number): void
  total(writes: number, calldata: number): Gas
}

export function createGasMeter(): GasMeter {
  let l2Gas = BASE_L2_GAS
  return {
    countCall() {
      l2Gas += CALL_L2_GAS
    },
    countEvent(keys, data) {
      l2Gas += EVENT_FELT_L2_GAS * BigInt(keys.length + data.length)
    },
    countClass(felts) {
      l2Gas += CLASS_FELT_L2_GAS * BigInt(felts)
    },
    total: (writes, calldata) => ({
      l1Gas: 0n,
      l1DataGas: BASE_L1_DATA_GAS + WRITE_L1_DATA_GAS * BigInt(writes),
      l2Gas: l2Gas + WRITE_L2_GAS * BigInt(writes) + CALLDATA_FELT_L2_GAS * BigInt(calldata),
    }),
  }
}

/** The tip is paid for L2 gas. */
export function feeOf(gas: Gas, prices: GasPrices, tip: bigint): bigint {
  return gas.l1Gas * prices.l1Gas + gas.l1DataGas * prices.l1DataGas + gas.l2Gas * (prices.l2Gas + tip)
}

export function maxFeeOf({ l1Gas, l1DataGas, l2Gas }: ResourceBounds, tip: bigint): bigint {
  const part = ({ maxAmount, maxPrice }: ResourceBound) => maxAmount * maxPrice
  return part(l1Gas) + part(l1DataGas) + l2Gas.maxAmount * (l2Gas.maxPrice + tip)
}
