/** An account of ours may be unable to send: it is not deployed. Absent: every key can send. */

/** Null: the account can send. Throws `ChainFailure` if the nodes do not answer. */
export type CheckSender = (address: string) => Promise<SenderProblem | null>

export type SenderProblem = {
  readonly text: string
  /** What an operator does about it. */
  readonly advice: string
}
