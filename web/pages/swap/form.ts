/** The state of the form: what is swapped for what, the amount that the user typed, who is paid, and the live quote. */
import { batch, computed, effect, signal } from '@preact/signals'
import { parseAddress, type Quote, type SwapRequest } from '../../../sdk/src/index.ts'
import { parseAmount } from '../../shared/amount.ts'
import { now } from '../../shared/clock.ts'
import { assets, findAsset } from './catalog.ts'
import { playAddress } from './play.ts'
import { messageOf } from './runner.ts'
import { settings } from './settings.ts'
import { openTandem } from './tandem.ts'

export type Side = 'from' | 'to'
type Checked = { readonly text: string; readonly address: string | null; readonly problem: string | null }

/** Bips that the price may move between the quote on the page and the order. The user gets at least that much. */
const SLIPPAGE_BIPS = 50n
const TYPING_MS = 350
const REFRESH_SECONDS = 15
const RETRY_MS = 3_000

export const fromId = signal('')
export const toId = signal('')
/** The amount of this side is the user's; the other one follows. */
export const fixedSide = signal<Side>('from')
export const amountText = signal('')
export const recipient = signal('')
/** Where a deposit that was paid by hand is refunded. */
export const refundAddress = signal('')
export const quote = signal<Quote | null>(null)
export const quoteProblem = signal<string | null>(null)
export const isAsking = signal(false)
const checkedRecipient = signal<Checked>({ text: '', address: null, problem: null })
const checkedRefund = signal<Checked>({ text: '', address: null, problem: null })

export const from = computed(() => findAsset(fromId.value))
export const to = computed(() => findAsset(toId.value))

/** Null: nothing, or not an amount. */
export const amount = computed(() => {
  const asset = fixedSide.value === 'from' ? from.value : to.value
  const parsed = asset === null ? null : parseAmount(amountText.value, asset.decimals)
  return parsed === 0n ? null : parsed
})

export const recipientCheck = computed(() => (checkedRecipient.value.text === recipient.value.trim() ? checkedRecipient.value : null))
export const refundCheck = computed(() => (checkedRefund.value.text === refundAddress.value.trim() ? checkedRefund.value : null))

/** The amount that the user surely gets. */
export function leastOf({ destination, net_amount: net }: Quote): bigint {
  const promised = BigInt(net ?? destination.amount)
  return promised - (promised * SLIPPAGE_BIPS) / 10_000n
}

/** The other asset takes the place of this one if both are the same. */
export function choose(side: Side, id: string): void {
  batch(() => {
    if (side === 'from' && id === toId.value) toId.value = fromId.value
    if (side === 'to' && id === fromId.value) fromId.value = toId.value
    if (side === 'from') fromId.value = id
    else toId.value = id
    quote.value = null
  })
}

export function flip(): void {
  batch(() => {
    const [before, after] = [fromId.value, toId.value]
    fromId.value = after
    toId.value = before
    quote.value = null
    recipient.value = ''
    refundAddress.value = ''
  })
}

export function requestOf(offer: Quote, address: string, secret: 'client' | 'service'): SwapRequest {
  const shared = { from: fromId.value, to: toId.value, recipient: address, secret, gasless: from.value?.isToken ?? false }
  if (fixedSide.value === 'from') return { ...shared, fromAmount: BigInt(offer.source.amount), leastToAmount: leastOf(offer) }
  const paid = BigInt(offer.source.amount)
  return { ...shared, toAmount: BigInt(offer.destination.amount), mostFromAmount: paid + (paid * SLIPPAGE_BIPS) / 10_000n }
}

/** Starts what keeps the form up to date: first assets, checks of addresses, and the quote. */
export function keepForm(): void {
  effect(() => {
    const active = assets.value.filter(({ isActive }) => isActive)
    if (active.length === 0 || fromId.peek() !== '') return
    const first = active[0]
    const other = active.find(({ chain, isToken }) => chain.chain !== first?.chain.chain && isToken) ?? active[1]
    fromId.value = first?.id ?? ''
    toId.value = other?.id ?? ''
  })
  effect(() => {
    const asset = to.value
    if (asset === null || settings.value?.play == null || recipient.peek() !== '') return
    void playAddress(asset).then((address) => {
      if (recipient.value === '' && toId.value === asset.id) recipient.value = address
    })
  })
  effect(() => check(to.value?.chain.chain, recipient.value, checkedRecipient))
  effect(() => check(from.value?.chain.chain, refundAddress.value, checkedRefund))
  keepQuote()
}

function check(chain: string | undefined, given: string, result: typeof checkedRecipient): void {
  const text = given.trim()
  if (chain === undefined || text === '') {
    result.value = { text, address: null, problem: null }
    return
  }
  parseAddress(chain, text).then(
    (address) => {
      result.value = { text, address, problem: null }
    },
    (error: unknown) => {
      result.value = { text, address: null, problem: messageOf(error) }
    },
  )
}

function keepQuote(): void {
  let stop = new AbortController()
  let askedAt = 0
  effect(() => {
    const [source, destination, given, side] = [fromId.value, toId.value, amount.value, fixedSide.value]
    stop.abort()
    stop = new AbortController()
    const { signal: end } = stop
    quoteProblem.value = null
    if (source === '' || destination === '' || given === null) {
      quote.value = null
      isAsking.value = false
      return
    }
    isAsking.value = true
    void ask(TYPING_MS)

    async function ask(delayMs: number): Promise<void> {
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      if (end.aborted || given === null) return
      try {
        const tandem = await openTandem()
        const wanted = side === 'from' ? { fromAmount: given } : { toAmount: given }
        const found = await tandem.quote({ from: source, to: destination, recipient: '', ...wanted }, { signal: end })
        askedAt = now.peek()
        batch(() => {
          quote.value = found
          quoteProblem.value = null
          isAsking.value = false
        })
      } catch (error) {
        if (end.aborted) return
        batch(() => {
          quote.value = null
          quoteProblem.value = messageOf(error)
          isAsking.value = false
        })
        return ask(RETRY_MS)
      }
      const stopRefresh = effect(() => {
        const held = quote.value
        const isDue = held !== null && (now.value >= askedAt + REFRESH_SECONDS || now.value >= held.expires_at - 2)
        if (!end.aborted && !isDue) return
        queueMicrotask(() => {
          stopRefresh()
          if (!end.aborted) void ask(0)
        })
      })
    }
  })
}
