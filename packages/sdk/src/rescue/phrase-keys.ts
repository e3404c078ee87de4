/** Makes the keys of a phrase. It is loaded when an app first uses a phrase. */
import type { SwapKeys } from '../keys/keys.ts'
import { withMutex } from '../swap/mutex.ts'
import type { SwapStorage } from '../swap/storage.ts'
import { createPhrase, type DerivedKeys, deriveKeys } from './derive.ts'

export type RescueKeys = SwapKeys & Required<Pick<SwapKeys, 'startAt' | 'fileKey'>>

export async function newKeys(storage: SwapStorage): Promise<{ readonly phrase: string; readonly keys: RescueKeys }> {
  const phrase = createPhrase()
  const keys = await keysOfPhrase(phrase, storage)
  await keys.startAt(0)
  return { phrase, keys }
}

export async function keysOfPhrase(phrase: string, storage: SwapStorage): Promise<RescueKeys> {
  return keysOf(await deriveKeys(phrase), storage)
}

function keysOf({ fingerprint, secretAt, keyAt, fileKey }: DerivedKeys, storage: SwapStorage): RescueKeys {
  const counter = `tandem:rescue:${fingerprint}:next-index`
  async function known(): Promise<number | null> {
    const text = await storage.getItem(counter)
    return text === null ? null : Number(text)
  }
  /** A secret that was used before is public: a second payment with its hash may be lost. */
  async function takeIndex(): Promise<number> {
    const index = await known()
    if (index === null)
      throw new Error(
        'this storage does not know which swaps the rescue phrase has made: restore() them, and use a new phrase for new swaps',
      )
    await storage.setItem(counter, String(index + 1))
    return index
  }
  return {
    nextIndex: () => withMutex(counter, takeIndex),
    startAt: (index) => withMutex(counter, async () => storage.setItem(counter, String(Math.max(index, (await known()) ?? 0)))),
    secretFor: async (index) => secretAt(index),
    keyFor: async (index, leg) => keyAt(index, leg),
    fileKey: async () => fileKey(),
  }
}
