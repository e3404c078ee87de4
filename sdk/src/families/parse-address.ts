/** Checks an address before it is used: form, checksum and network, by the rules of its chain. */
import { loadFamily } from './index.ts'

/** `chain`: as in asset ids. Resolves to the canonical form; rejects with what is wrong. */
export async function parseAddress(chain: string, text: string): Promise<string> {
  const { chainNamed } = await import('../verify/pinned.ts')
  const known = chainNamed(chain)
  return (await loadFamily(known.family)).parseAddress(text, known)
}
