/** What a request costs, in the units of the rate limits: one for a usual request. */
import type { FastifyContextConfig } from 'fastify'

/** As many orders of a list take as long as one usual request. */
const ORDERS_A_UNIT = 10
/** The most that a list may ask for. A larger number is refused when it is checked. */
const MOST_PER_PAGE = 500

/** A list costs by the length of its page, as it was asked for: whether so many exist is known only after the work. */
export function costOf(config: FastifyContextConfig, query: unknown): number {
  if (config.isList !== true) return 1
  const { per_page: asked } = query as { readonly per_page?: unknown }
  const perPage = Number(asked)
  return perPage > ORDERS_A_UNIT ? Math.ceil(Math.min(perPage, MOST_PER_PAGE) / ORDERS_A_UNIT) : 1
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before every other hook: to read the options of a route takes long. */
    cost: number
  }
  interface FastifyContextConfig {
    /** Its answer is as long as the `per_page` of its query. */
    isList?: boolean
  }
}
