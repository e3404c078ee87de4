/** GET /policy: the operator's rules about which assets may be swapped for which. */
import { type Static, Type } from 'typebox'

const Patterns = Type.Array(Type.String({ description: '<chain>:<token> with * wildcards, "A -> B" one way, "A <-> B" both ways' }))

export const PolicyRecord = Type.Object({
  default: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
  isolation_groups: Patterns,
  blacklist_pairs: Patterns,
  whitelist_overrides: Patterns,
})
export type PolicyRecord = Static<typeof PolicyRecord>
