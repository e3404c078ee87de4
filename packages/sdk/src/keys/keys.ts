/** The user's own secrets and keys, one set for each swap. The service never sees a key, and a secret only when the user is paid with it. */
import type { Leg } from '@tandem/protocol/order.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import type { SwapStorage } from '../swap/storage.ts'

/** All values are 32 bytes as hex. The same index always gives the same values. */
export interface SwapKeys {
  /** Returns an index that was never given before, not even by an earlier page. */
  nextIndex(): Promise<number>
  secretFor(index: number): Promise<Hex32>
  /** Returns the user's private key in the HTLC of one side, on secp256k1. Each side has a key of its own. */
  keyFor(index: number, leg: Leg): Promise<string>
  /** 32 bytes that encrypt the rescue file. Only keys that can be restored have them. */
  fileKey?(): Promise<Uint8Array>
  /** Makes `nextIndex` give this index or a later one. Only keys that can be restored have it. */
  startAt?(index: number): Promise<void>
}

/** The bytes of a safe integer. */
const INDEX_BYTES = 6

/** These keys are random and kept in the storage. They are lost when the storage is cleared. */
export function randomKeys(storage: SwapStorage): SwapKeys {
  async function kept(name: string): Promise<string> {
    const known = await storage.getItem(name)
    if (known !== null) return known
    const value = randomHex(32)
    await storage.setItem(name, value)
    return value
  }
  return {
    // A counter could give two pages, or two swaps at once, the same number, and a user who uses a secret twice pays for the second order without being paid.
    nextIndex: async () => Number(`0x${randomHex(INDEX_BYTES)}`),
    secretFor: (index) => kept(`tandem:secret:${index}`),
    keyFor: (index, leg) => kept(`tandem:key:${index}:${leg}`),
  }
}

/** The core needs no other function of a library, so this one is written out. */
function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
