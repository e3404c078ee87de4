/** Defines the error for a node that does not answer, refuses, or has stopped. The node may recover, so a swap waits. */
export class NodeError extends Error {
  override readonly name = 'NodeError'
}

/** `problem` is a phrase whose subject is the node. */
export function assertNoProblem(problem: string | null): void {
  if (problem !== null) throw new NodeError(`the node ${problem}`)
}

export function assertThere(isThere: boolean, place: string | null): void {
  assertNoProblem(isThere ? null : `shows no contract at ${place}`)
}
