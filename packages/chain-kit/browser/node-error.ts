/** A node of the integrator's choice does not answer, refuses, or stands still. It may be right again later, so a swap waits. */
export class NodeError extends Error {
  override readonly name = 'NodeError'
}
