/** The swaps that were made in this browser, newest first. An entry is for the list only and is updated from the record of its order; the SDK keeps what a swap needs. */
import { signal } from '@preact/signals'

export type Payment = { readonly to: string; readonly amount: string; readonly uri: string }

export type Entry = {
  readonly orderId: string
  readonly at: string
  readonly from: string
  readonly to: string
  readonly fromAmount: string
  /** The transaction that paid `to`, or that refunded `from`. */
  readonly toAmount: string
  /** True while the network fee that will be subtracted is not known exactly. */
  readonly isAbout?: boolean
  /** The network fee that is taken out of the payout, by the quote. */
  readonly quotedFee?: string
  readonly status: string
  /** The deposit address that the SDK has verified; null if a wallet pays. */
  readonly payment: Payment | null
  /** The wallet has paid or signed. */
  readonly isPaid?: boolean
}

const KEY = 'tandem:web:history'
const MAX_ENTRIES = 200

function read(): readonly Entry[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(found) ? (found as readonly Entry[]) : []
  } catch {
    return []
  }
}

export const entries = signal(read())

addEventListener('storage', ({ key }) => {
  if (key === KEY || key === null) entries.value = read()
})

export function findEntry(orderId: string): Entry | null {
  return entries.value.find((entry) => entry.orderId === orderId) ?? null
}

/** Reads the list before it writes: another tab may have changed it. */
export function putEntry(orderId: string, change: Partial<Entry>): void {
  const known = read()
  const before = known.find((entry) => entry.orderId === orderId)
  const blank: Entry = {
    orderId,
    at: new Date().toISOString(),
    from: '',
    to: '',
    fromAmount: '0',
    toAmount: '0',
    status: 'created',
    payment: null,
  }
  const entry = { ...(before ?? blank), ...change }
  const others = known.filter((one) => one.orderId !== orderId)
  const next = before === undefined ? [entry, ...others].slice(0, MAX_ENTRIES) : known.map((one) => (one.orderId === orderId ? entry : one))
  localStorage.setItem(KEY, JSON.stringify(next))
  entries.value = next
}
