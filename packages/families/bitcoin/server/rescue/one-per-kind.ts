/** A rescue asks one node, which its user names. */
import type { Endpoint, Endpoints } from '@tandem/chain-kit/port/endpoints.ts'

export function onePerKind(endpoints: Endpoints): { readonly rpc?: Endpoint; readonly esplora?: Endpoint } {
  return Object.fromEntries(
    Object.entries(endpoints).map(([kind, urls]) => {
      const [url, ...more] = urls
      if (url === undefined || more.length > 0) throw new Error(`the endpoint "${kind}" must be exactly one URL, got ${urls.length}`)
      return [kind, url]
    }),
  )
}
