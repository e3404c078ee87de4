// Makes the first ledgers.
import { CLOSE_RESOLUTION, closeTimeOf } from '../ledger/close-time.ts'
import { accountKey, type Entry } from '../ledger/entries.ts'
import { createHistory, type History } from '../ledger/history.ts'

/** This is 100 billion XRP. */
const TOTAL_DROPS = 100_000_000_000_000_000n
/** Clients read back this many ledgers when they start, and the chain begins with ledger 1. */
const EMPTY_LEDGERS = 20

export function startHistory(masterAccount: string, now: number): History {
  const start = now - EMPTY_LEDGERS * CLOSE_RESOLUTION
  const history = createHistory(genesisOf(masterAccount), closeTimeOf(start, 0), TOTAL_DROPS)
  for (let made = 1; made <= EMPTY_LEDGERS; made += 1) {
    const closeTime = closeTimeOf(start + made * CLOSE_RESOLUTION, history.tip().closeTime)
    history.append({ closeTime, transactions: [], changes: new Map(), fork: 0 })
  }
  return history
}

function genesisOf(account: string): ReadonlyMap<string, Entry> {
  const root = {
    LedgerEntryType: 'AccountRoot',
    Account: account,
    Balance: String(TOTAL_DROPS),
    Flags: 0,
    OwnerCount: 0,
    Sequence: 1,
  } as const
  return new Map([[accountKey(account), root]])
}
