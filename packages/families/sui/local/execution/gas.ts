// Computes the cost of a transaction. Storage follows the protocol's rules. Computation is invented: the real one counts instructions.
import type { Command } from './commands.ts'

export type GasSummary = {
  readonly computationCost: bigint
  readonly storageCost: bigint
  /** The gas coin gets this back for objects that were replaced or deleted. */
  readonly storageRebate: bigint
  /** The network keeps this part of the rebate. */
  readonly nonRefundableStorageFee: bigint
}

export const DEFAULT_GAS_PRICE = 1_000n
export const MAX_GAS_BUDGET = 50_000_000_000n
export const MAX_GAS_PAYMENT_OBJECTS = 256
/** Every transaction pays at least this. */
const BASE_UNITS = 1_000n
const ROUNDING_STEP = 1_000n
const BASIS_POINTS = 10_000n
const REBATE_POINTS = 9_900n

export function minimumBudget(gasPrice: bigint): bigint {
  return BASE_UNITS * gasPrice
}

export function computationUnits(commands: readonly Command[]): bigint {
  const units = commands.reduce((sum, command) => sum + unitsOf(command), 0n)
  const rounded = ((units + ROUNDING_STEP - 1n) / ROUNDING_STEP) * ROUNDING_STEP
  return rounded > BASE_UNITS ? rounded : BASE_UNITS
}

function unitsOf(command: Command): bigint {
  switch (command.$kind) {
    case 'MoveCall':
      return 200n
    case 'Publish':
      return 1_000n + BigInt(command.Publish.modules.reduce((sum, module) => sum + module.length, 0)) / 10n
    default:
      return 20n
  }
}

/** `stored` is the cost of the written objects; `released` was paid for the objects that they replace. */
export function summary(computationCost: bigint, stored: bigint, released: bigint): GasSummary {
  // The protocol rounds half up.
  const storageRebate = (released * REBATE_POINTS + BASIS_POINTS / 2n) / BASIS_POINTS
  return { computationCost, storageCost: stored, storageRebate, nonRefundableStorageFee: released - storageRebate }
}

/** The amount is negative if the gas coin grows. */
export function netCost({ computationCost, storageCost, storageRebate }: GasSummary): bigint {
  return computationCost + storageCost - storageRebate
}
