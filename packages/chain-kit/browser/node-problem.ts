/** What is wrong with a node, where it is asked before a payment. */
import { NodeError } from './node-error.ts'

/** `problem`: a phrase whose subject is the node. */
export function assertNoProblem(problem: string | null): void {
  if (problem !== null) throw new NodeError(`the node ${problem}`)
}

/** Of a contract, program or package that the node does not have. */
export function assertThere(isThere: boolean, place: string | null): void {
  assertNoProblem(isThere ? null : `shows no contract at ${place}`)
}
