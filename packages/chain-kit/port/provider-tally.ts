/** Counts the requests to each provider in this process by how they ended, for operators. Parties in one process share the count of a node. */

/**
 * answered  with any answer about the chain
 * limited   HTTP 429: we ask too often
 * failed    no answer, or a failure of the provider itself
 */
export type RequestOutcome = 'answered' | 'limited' | 'failed'

export type ProviderTally = {
  readonly requests: Readonly<Record<RequestOutcome, number>>
  /** The last request got no answer. */
  readonly isFailing: boolean
}

type Counted = { readonly requests: Record<RequestOutcome, number>; isFailing: boolean }

/** The key is the URL, which may hold an API key and never leaves this file. There is one entry for each configured node. */
const tallies = new Map<string, Counted>()

export function countRequests(url: string): (outcome: RequestOutcome) => void {
  const key = plainUrl(url)
  const counted: Counted = tallies.get(key) ?? { requests: { answered: 0, limited: 0, failed: 0 }, isFailing: false }
  tallies.set(key, counted)
  return (outcome) => {
    counted.requests[outcome] += 1
    counted.isFailing = outcome !== 'answered'
  }
}

/** Null means that the node was never connected to. */
export function tallyOf(url: string): ProviderTally | null {
  return tallies.get(plainUrl(url)) ?? null
}

function plainUrl(url: string): string {
  const parsed = new URL(url)
  parsed.username = ''
  parsed.password = ''
  return parsed.href.replace(/\/+$/, '')
}

/** A name is the host of the URL, never more of it. Names are numbered where several URLs share one. */
export function providerNames(urls: readonly string[]): readonly string[] {
  const hosts = urls.map((url) => new URL(url).host)
  return hosts.map((host, i) => (hosts.indexOf(host) === hosts.lastIndexOf(host) ? host : `${host} (${i + 1})`))
}
