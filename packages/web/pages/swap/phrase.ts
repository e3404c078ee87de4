/** The rescue phrase: made once, kept in this browser, written down by the user once. */
import { signal } from '@preact/signals'
import { newRescueKeys, type RescueKeys, rescueKeys } from '@tandem/sdk'

const PHRASE = 'tandem:web:phrase'
const WRITTEN = 'tandem:web:phrase-written'

export const isWritten = signal(localStorage.getItem(WRITTEN) !== null)
/** The user is not asked again until the page is reloaded. */
export const isPutOff = signal(false)

/** The keys of the phrase in this browser, which is made if there is none. A lock keeps two tabs from making one each: only the last would be stored. */
export function openKeys(): Promise<RescueKeys> {
  return navigator.locks === undefined ? readOrMakeKeys() : navigator.locks.request(PHRASE, readOrMakeKeys)
}

async function readOrMakeKeys(): Promise<RescueKeys> {
  const known = localStorage.getItem(PHRASE)
  if (known !== null) return rescueKeys(known, localStorage)
  const { phrase, keys } = await newRescueKeys(localStorage)
  localStorage.setItem(PHRASE, phrase)
  return keys
}

/** Empty before `openKeys`. */
export function phraseWords(): readonly string[] {
  return (localStorage.getItem(PHRASE) ?? '').split(' ')
}

export function markWritten(): void {
  localStorage.setItem(WRITTEN, new Date().toISOString())
  isWritten.value = true
}
