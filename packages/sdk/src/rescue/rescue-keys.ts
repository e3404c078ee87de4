/** Keys of one phrase for all swaps: the phrase alone finds and finishes them from an empty browser. */
import type { SwapStorage } from '../swap/storage.ts'
import type { RescueKeys } from './phrase-keys.ts'

/** A new phrase and its keys. The user writes the phrase down; the SDK does not keep it. */
export async function newRescueKeys(storage: SwapStorage): Promise<{ readonly phrase: string; readonly keys: RescueKeys }> {
  return (await import('./phrase-keys.ts')).newKeys(storage)
}

/**
 * Returns the keys of a phrase. If it is not a phrase, the error names the wrong word. A storage that does not know the phrase restores its
 * swaps, and makes no new ones.
 */
export async function rescueKeys(phrase: string, storage: SwapStorage): Promise<RescueKeys> {
  return (await import('./phrase-keys.ts')).keysOfPhrase(phrase, storage)
}
