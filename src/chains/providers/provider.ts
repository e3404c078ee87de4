/** One of several servers of a chain, with any protocol. */

export type Provider<N> = {
  /** Its host, and never more of its URL, which may hold a key. */
  readonly name: string
  readonly node: N
}

/** By host; numbered where several share one. */
export function providerNames(urls: readonly string[]): readonly string[] {
  const hosts = urls.map((url) => new URL(url).host)
  return hosts.map((host, i) => (hosts.indexOf(host) === hosts.lastIndexOf(host) ? host : `${host} (${i + 1})`))
}
