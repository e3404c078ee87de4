/** How many requests each provider got in this process, and how they ended: for operators. Parties in one process share the count of a node. */

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

/** By URL, which may hold an API key: it never leaves this file. As many as there are configured nodes. */
const tallies = new Map<string, Counted>()

/** Call the result for each request. */
export function countRequests(url: string): (outcome: RequestOutcome) => void {
  const key = plainUrl(url)
  const counted: Counted = tallies.get(key) ?? { requests: { answered: 0, limited: 0, failed: 0 }, isFailing: false }
  tallies.set(key, counted)
  return (outcome) => {
    counted.requests[outcome] += 1
    counted.isFailing = outcome !== 'answered'
  }
}

/** Null for a node that was never connected to. */
export function tallyOf(url: string): ProviderTally | null {
  return tallies.get(plainUrl(url)) ?? null
}

function plainUrl(url: string): string {
  const parsed = new URL(url)
  parsed.username = ''
  parsed.password = ''
  return parsed.href.replace(/\/+$/, '')
}

/** The host of each URL, never more of it; numbered where several share one. */
export function providerNames(urls: readonly string[]): readonly string[] {
  const hosts = urls.map((url) => new URL(url).host)
  return hosts.map((host, i) => (hosts.indexOf(host) === hosts.lastIndexOf(host) ? host : `${host} (${i + 1})`))
}
