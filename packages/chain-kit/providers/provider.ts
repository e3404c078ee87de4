/** One of several nodes of a chain, with any protocol. */

export type Provider<N> = {
  /** Its host. Never more of its URL, which may contain an API key. */
  readonly name: string
  readonly node: N
}
