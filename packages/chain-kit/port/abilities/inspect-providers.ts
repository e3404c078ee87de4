/** For operators: a report on each provider of a connection. */

export type InspectProviders = () => Promise<readonly ProviderReport[]>

export type ProviderReport = {
  /** Its host: the rest of its URL may hold a key. */
  readonly name: string
  /** Null unless it does not answer or serves another chain; then nothing else is known. */
  readonly error: string | null
  readonly height: bigint
  /** Blocks behind the provider with the highest block. */
  readonly behind: bigint
  readonly isLate: boolean
  /** It serves events of a week ago, which a party needs after a long downtime. */
  readonly hasOldEvents: boolean
  /** The finality tags that it knows. */
  readonly tags: readonly string[]
}
