/** Checks an address before it is used: form, checksum and network, by the rules of its chain. */

import type { SdkFamily } from '@tandem/chain-kit/browser/family.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { PinnedRegistry } from '../verify/pinned.ts'

/** A text is not an address of its chain. `message` says what is wrong with it. */
export class AddressError extends Error {
  override readonly name = 'AddressError'
}

/** Returns the canonical form. Throws an `AddressError`. */
export function addressOn(family: Pick<SdkFamily, 'parseAddress'>, chain: Chain, text: string): string {
  try {
    return family.parseAddress(text, chain)
  } catch (error) {
    throw new AddressError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** `chain` is a name as in asset ids. Resolves to the canonical form; rejects with an `AddressError`. */
export async function parseAddress(chain: string, text: string, registry?: PinnedRegistry): Promise<string> {
  const { chainNamed } = await import('../verify/pinned.ts')
  const known = chainNamed(chain, registry)
  return addressOn(await loadFamily(known.family), known, text)
}
