/** Who asks the solver, and for how long they wait for the answer. */
export interface Caller {
  /** The id of the service in our configuration. */
  readonly service: string
  /** Throws if the caller no longer waits. To be called before work that would then be useless. */
  assertInTime(): void
}
