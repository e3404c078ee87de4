// Sums the gas of an order from initiate to settlement, because HTLCs pay for the same work at different steps.

export interface GasRow {
  readonly operation: string
  /** Median of the runs; for a batch, per order of it. */
  readonly gas: number
  /** The first version of the same design. */
  readonly prototypeGas: number | null
  /** An HTLC in use that stores each order as a struct. */
  readonly structStoringGas: number | null
  /** The cheapest HTLC in use that stores a commitment; it clears its slot on settlement. */
  readonly bestCommitmentGas: number | null
}

export interface GasPath extends GasRow {
  /** No more than this share of the gas of a struct-storing HTLC. */
  readonly structStoringLimit: number
  /** No more than this share of the gas of the best commitment HTLC. */
  readonly bestCommitmentLimit: number
}

const paths = {
  'ERC-20': {
    initiations: ['initiate', 'initiate with signature', 'initiate on behalf'],
    settlements: ['redeem', 'redeem, batch of 10, each', 'refund', 'instant refund'],
    bestCommitmentLimit: 1.03,
  },
  /**
   * A limit of three percent would be 85,432 gas. 85,414 of it cannot be avoided: two transactions with their calldata (44,912),
   * the slot (22,100, then 5,000), the payment (9,300), the hashes (316) and two events (3,786). Clearing the slot would refund
   * 4,800, but a signature could then initiate a settled order again.
   */
  native: {
    initiations: ['initiate', 'initiate on behalf'],
    settlements: ['redeem', 'refund', 'instant refund'],
    bestCommitmentLimit: 1.05,
  },
} as const

const STRUCT_STORING_LIMIT = 0.5

export function gasPaths(operations: readonly GasRow[]): GasPath[] {
  const rowOf = (operation: string): GasRow => {
    const row = operations.find((known) => known.operation === operation)
    if (row === undefined) throw new Error(`no measurement of ${operation}`)
    return row
  }
  return Object.entries(paths).flatMap(([kind, { initiations, settlements, bestCommitmentLimit }]) =>
    initiations.flatMap((initiation) =>
      settlements.map((settlement) => {
        const [begin, end] = [rowOf(`${kind} ${initiation}`), rowOf(`${kind} ${settlement}`)]
        return {
          operation: `${kind} ${initiation} + ${settlement}`,
          gas: begin.gas + end.gas,
          prototypeGas: sum(begin.prototypeGas, end.prototypeGas),
          structStoringGas: sum(begin.structStoringGas, end.structStoringGas),
          bestCommitmentGas: sum(begin.bestCommitmentGas, end.bestCommitmentGas),
          structStoringLimit: STRUCT_STORING_LIMIT,
          bestCommitmentLimit,
        }
      }),
    ),
  )
}

/** Whether the path is within its limits; a path without a peer always is. */
export function isCheapEnough({ gas, structStoringGas, structStoringLimit, bestCommitmentGas, bestCommitmentLimit }: GasPath): boolean {
  return (
    (structStoringGas === null || gas <= structStoringGas * structStoringLimit) &&
    (bestCommitmentGas === null || gas <= bestCommitmentGas * bestCommitmentLimit)
  )
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b
}
