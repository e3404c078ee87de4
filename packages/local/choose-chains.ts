/** The local chains to run are all of them, or the named ones. */
import { localChains } from '@tandem/families/registry.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { didYouMean } from '@tandem/protocol/nearest-name.ts'

/** Names are chain ids or unambiguous prefixes. */
export function chooseChains(names: readonly string[] | undefined, among: readonly Chain[] = localChains): readonly Chain[] {
  if (names === undefined) return among
  const ids = among.map(({ id }) => id)
  const chosen = new Set(names.map((name) => findId(name.trim().toLowerCase(), ids)))
  return among.filter(({ id }) => chosen.has(id))
}

function findId(name: string, ids: readonly ChainId[]): ChainId {
  const found = ids.includes(name) ? [name] : ids.filter((id) => name !== '' && id.startsWith(name))
  const [id] = found
  if (id === undefined) throw new Error(`there is no local chain "${name}"${didYouMean(name, ids)}; there are ${ids.join(', ')}`)
  if (found.length > 1) throw new Error(`"${name}" is ambiguous: it may be ${found.join(' or ')}`)
  return id
}
