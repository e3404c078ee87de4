// The first ledgers.
import { CLOSE_RESOLUTION, closeTimeOf } from '../ledger/close-time.ts'
import { accountKey, type Entry } from '../ledger/entries.ts'
import { createHistory, type History } from '../ledger/history.ts'

/** 100 billion XRP. */
const TOTAL_DROPS = 100_000_000_000_000_000n
/** Clients that begin to watch look back so far. Here the first ledger is 1, so there would be none. */
const EMPTY_LEDGERS = 20

/** The genesis ledger and some empty ones after it, up to now. */
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
