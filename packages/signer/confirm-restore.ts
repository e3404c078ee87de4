/** An operator confirms that what a restored journal lacks has ended. The running signer has the journal, so it must be stopped. */
import { type Entry, readEntry } from './journal/entries.ts'
import { createHistory } from './journal/history.ts'
import { openJournal } from './journal/journal.ts'

/** Returns why it was held, or null. */
export async function confirmRestore(path: string, isConfirmed: boolean): Promise<string | null> {
  const history = createHistory()
  const journal = await openJournal<Entry>(path, (value) => history.note(readEntry(value)))
  try {
    const held = history.whyHeld()
    if (held !== null && isConfirmed) await journal.append({ kind: 'confirmed', at: Math.floor(Date.now() / 1000) })
    return held
  } finally {
    await journal.close()
  }
}
