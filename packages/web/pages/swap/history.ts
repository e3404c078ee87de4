/** The swaps that were made in this browser, newest first. What it says of an order is for the list only, and follows its record; the SDK keeps what a swap needs. */
import { signal } from '@preact/signals'

export type Payment = { readonly to: string; readonly amount: string; readonly uri: string }

export type Entry = {
  readonly orderId: string
  readonly at: string
  readonly from: string
  readonly to: string
  readonly fromAmount: string
  /** Of `to`; of `from` if the order was refunded. */
  readonly toAmount: string
  /** Less a network fee that is not known exactly yet. */
  readonly isAbout?: boolean
  /** What the quote says that the network takes out of the payout. */
  readonly quotedFee?: string
  readonly status: string
  /** Where the user pays by hand, as the SDK has verified it; null where a wallet pays. */
  readonly payment: Payment | null
  /** The wallet has paid or signed. */
  readonly isPaid?: boolean
}

const KEY = 'tandem:web:history'
const MOST = 200

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

/** Reads first: another tab may have written. */
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
  const next = before === undefined ? [entry, ...others].slice(0, MOST) : known.map((one) => (one.orderId === orderId ? entry : one))
  localStorage.setItem(KEY, JSON.stringify(next))
  entries.value = next
}
