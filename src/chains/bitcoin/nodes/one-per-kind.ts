/** This family asks one node of each kind; it does not compare several. */
import type { ConnectOptions } from '../../port/family.ts'

export function onePerKind(endpoints: ConnectOptions['endpoints']): { readonly rpc?: string; readonly esplora?: string } {
  return Object.fromEntries(
    Object.entries(endpoints).map(([kind, urls]) => {
      const [url, ...more] = urls
      if (url === undefined || more.length > 0) throw new Error(`the endpoint "${kind}" must be one URL here, and is ${urls.length}`)
      return [kind, url]
    }),
  )
}
