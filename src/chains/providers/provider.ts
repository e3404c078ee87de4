/** One of several nodes of a chain, with any protocol. */

export type Provider<N> = {
  /** Its host. Never more of its URL, which may contain an API key. */
  readonly name: string
  readonly node: N
}

/** The host of each URL; numbered where several share one. */
export function providerNames(urls: readonly string[]): readonly string[] {
  const hosts = urls.map((url) => new URL(url).host)
  return hosts.map((host, i) => (hosts.indexOf(host) === hosts.lastIndexOf(host) ? host : `${host} (${i + 1})`))
}
