/** GET /volume and GET /fees have this query. The result is a decimal string of US dollars. */
import { type Static, Type } from 'typebox'
import { ADDRESSES, ValueList } from './value-list.ts'

/** This is in the year 5138. */
const MAX_SECONDS = 100_000_000_000

const Seconds = (which: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_SECONDS, description: `a time in unix seconds: the ${which} creation that counts` }),
  )

export const StatisticsQuery = Type.Object({
  source_chain: ValueList('a source chain'),
  destination_chain: ValueList('a destination chain'),
  address: ValueList(ADDRESSES),
  from: Seconds('first'),
  to: Seconds('last'),
})
export type StatisticsQuery = Static<typeof StatisticsQuery>
