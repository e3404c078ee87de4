/** Price feeds that others keep on the chain can be read. */

/** Rejects if the contract does not answer as a feed. Neither the sign nor the age of the answer is judged. */
export type Oracle = (contract: string) => Promise<OracleAnswer>

export type OracleAnswer = {
  readonly answer: bigint
  readonly decimals: number
  /** Unix seconds. */
  readonly updatedAt: bigint
}
