/** GET /policy shows the operator's rules about which assets may be swapped for which. */
import { type Static, Type } from 'typebox'

const Pattern = Type.String({ description: '<chain>:<token> with * wildcards, "A -> B" one way, "A <-> B" both ways' })
const Patterns = (description: string) => Type.Array(Pattern, { description })

export const PolicyRecord = Type.Object(
  {
    default: Type.Enum(['open', 'closed'], { description: 'whether pairs that no rule names may be swapped' }),
    isolation_groups: Patterns('assets that may be swapped only with each other'),
    blacklist_pairs: Patterns('pairs that may not be swapped'),
    whitelist_overrides: Patterns('pairs that may be swapped whatever the other rules say'),
  },
  { title: 'Policy' },
)
export type PolicyRecord = Static<typeof PolicyRecord>
