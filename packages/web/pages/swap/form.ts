/** The state of the form: what is swapped for what, the amount that the user typed, who is paid, and the live quote. */
import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import {
  AmountOutOfRangeError,
  ApiError,
  amountsOfQuote,
  NetworkError,
  PriceMovedError,
  parseAddress,
  type Quote,
  type SwapRequest,
  VerificationError,
} from '@tandem/sdk'
import { formatAmount, parseAmount } from '../../shared/amount.ts'
import { now } from '../../shared/clock.ts'
import type { Explanation } from '../../shared/explain.ts'
import { swap } from '../../texts.ts'
import { type Asset, assets, explainError, findAsset } from './catalog.ts'
import { isAway, isOffline, pause, untilChange } from './connection.ts'
import { playAddress } from './play.ts'
import { shownOrder } from './route.ts'
import { pinnedRegistry, settings } from './settings.ts'
import { openReader } from './tandem.ts'

export type Side = 'from' | 'to'
type Checked = { readonly text: string; readonly address: string | null; readonly problem: string | null }

/** The price may move by this many bips between the quote on the page and the order. */
const SLIPPAGE_BIPS = 50n
const TYPING_MS = 350
const REFRESH_SECONDS = 15
const RETRY_MS = 3_000

export const fromId = signal('')
export const toId = signal('')
/** The side whose amount the user typed; the other amount comes from the quote. */
export const fixedSide = signal<Side>('from')
export const amountText = signal('')
export const recipient = signal('')
/** The address to which a deposit that was paid by hand is refunded. */
export const refundAddress = signal('')
/** The user wants some of the destination chain's coin with the payout. It is not asked for where it is not offered. */
export const wantsGas = signal(false)
export const quote = signal<Quote | null>(null)
export const quoteProblem = signal<Explanation | null>(null)
/** The error code, if the service refused. */
export const quoteRefusal = signal<string | null>(null)
/** The other amount before the quote was renewed; null if it has not changed, or for the first quote. */
export const amountBefore = signal<bigint | null>(null)
export const isAsking = signal(false)
/** Increments when the quote on the page is found to be outdated. */
const renewals = signal(0)
const checkedRecipient = signal<Checked>({ text: '', address: null, problem: null })
const checkedRefund = signal<Checked>({ text: '', address: null, problem: null })

export const from = computed(() => findAsset(fromId.value))
export const to = computed(() => findAsset(toId.value))

/** What a payout can also give of the chain's coin; null where that is not offered. */
export const gasOffer = computed(() => {
  const asset = to.value
  return asset === null || asset.id === asset.chain.native_asset_id ? null : (asset.chain.destination_gas ?? null)
})
const destinationGas = computed(() => wantsGas.value && gasOffer.value !== null)

/** It is null if the text is empty or not an amount. */
export const amount = computed(() => {
  const asset = fixedSide.value === 'from' ? from.value : to.value
  const parsed = asset === null ? null : parseAmount(amountText.value, asset.decimals)
  return parsed === 0n ? null : parsed
})

/** The limit that the typed amount breaks; null if it is within the limits of its asset. */
export const limit = computed(() => {
  const asset = fixedSide.value === 'from' ? from.value : to.value
  if (asset === null || amount.value === null) return null
  if (amount.value < asset.min) return { kind: 'tooSmall', amount: asset.min, asset } as const
  return amount.value > asset.max ? ({ kind: 'tooLarge', amount: asset.max, asset } as const) : null
})
const isOffLimits = computed(() => limit.value !== null)

export const recipientCheck = computed(() => (checkedRecipient.value.text === recipient.value.trim() ? checkedRecipient.value : null))
export const refundCheck = computed(() => (checkedRefund.value.text === refundAddress.value.trim() ? checkedRefund.value : null))

/** The quote, until it expires. */
export const freshQuote = computed(() => (quote.value !== null && now.value < quote.value.expires_at ? quote.value : null))

/** The quoted amount: what the user gets, or pays if they have fixed what they get. */
function quotedAmount(offer: Quote): bigint {
  const { pays, gets } = amountsOfQuote(offer)
  return fixedSide.value === 'from' ? gets.amount : pays
}

export function renewQuote(): void {
  renewals.value += 1
}

/** True if the offer at the time of the order is worse than the limit that the user saw. Nothing was ordered then. */
export function isPriceMoved(error: unknown): boolean {
  const field = fixedSide.value === 'from' ? 'quote.destination.amount' : 'quote.source.amount'
  return error instanceof PriceMovedError || (error instanceof VerificationError && error.field === field)
}

/** The minimum that the user gets, if they have fixed what they pay. */
export function minReceived(offer: Quote): bigint {
  const promised = amountsOfQuote(offer).gets.amount
  return promised - (promised * SLIPPAGE_BIPS) / 10_000n
}

/** The maximum that the user pays, if they have fixed what they get. */
export function maxPaid(offer: Quote): bigint {
  const { pays } = amountsOfQuote(offer)
  return pays + (pays * SLIPPAGE_BIPS) / 10_000n
}

/** If both sides would have the same asset, they swap their assets. */
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
  const gasless = from.value?.isToken ?? false
  const shared = {
    from: fromId.value,
    to: toId.value,
    recipient: address,
    secret,
    gasless,
    destinationGas: offer.destination_gas !== undefined,
  }
  if (fixedSide.value === 'from') return { ...shared, fromAmount: BigInt(offer.source.amount), minToAmount: minReceived(offer) }
  return { ...shared, toAmount: BigInt(offer.destination.amount), maxFromAmount: maxPaid(offer) }
}

/** Starts what keeps the form up to date: first assets, checks of addresses, and the quote. */
export function keepForm(): void {
  effect(() => {
    const active = assets.value.filter(({ isActive }) => isActive)
    // The page of an order has no form and needs no play wallet for it.
    if (active.length === 0 || shownOrder.value !== null || fromId.peek() !== '') return
    const first = active[0]
    const other = active.find(({ chain, isToken }) => chain.chain !== first?.chain.chain && isToken) ?? active[1]
    fromId.value = first?.id ?? ''
    toId.value = other?.id ?? ''
  })
  fillIn(to, recipient)
  fillIn(from, refundAddress)
  effect(() => check(to.value?.chain.chain, recipient.value, checkedRecipient))
  effect(() => check(from.value?.chain.chain, refundAddress.value, checkedRefund))
  keepQuote()
}

/** On the local network this is an address to play with, unless the user has typed one. */
function fillIn(asset: ReadonlySignal<Asset | null>, field: typeof recipient): void {
  let filled = ''
  const isOwn = () => field.peek() !== '' && field.peek() !== filled
  effect(() => {
    const wanted = asset.value
    if (wanted === null || settings.value?.play == null || isOwn()) return
    void playAddress(wanted).then((address) => {
      if (asset.peek()?.id !== wanted.id || isOwn()) return
      filled = address
      field.value = address
    })
  })
}

function check(chain: string | undefined, given: string, result: typeof checkedRecipient): void {
  const text = given.trim()
  if (chain === undefined || text === '') {
    result.value = { text, address: null, problem: null }
    return
  }
  parseAddress(chain, text, pinnedRegistry()).then(
    (address) => {
      result.value = { text, address, problem: null }
    },
    (error: unknown) => {
      result.value = { text, address: null, problem: explainError(error).text }
    },
  )
}

/** This is for a refused amount: the typed one is within its limits, so the other one is not. */
function explainRefusal(error: unknown, side: Side): Explanation {
  const other = side === 'from' ? to.peek() : from.peek()
  if (!(error instanceof AmountOutOfRangeError) || other === null) return explainError(error)
  const [min, max] = [other.min, other.max].map((one) => `${formatAmount(one, other.decimals)} ${other.symbol}`)
  return { ...explainError(error), text: swap.otherOutOfRange(side === 'from' ? swap.get : swap.pay, min ?? '', max ?? '') }
}

function keepQuote(): void {
  let stop = new AbortController()
  let askedAt = 0
  effect(() => {
    const [source, destination, given, side] = [fromId.value, toId.value, amount.value, fixedSide.value]
    const withGas = destinationGas.value
    stop.abort()
    stop = new AbortController()
    const { signal: end } = stop
    /** The last quote for these assets and this amount. */
    let shown: Quote | null = null
    /** The network fee that is taken out of the payout: a user who types what they want to get means what arrives. */
    let fee = 0n
    batch(() => {
      quoteProblem.value = null
      quoteRefusal.value = null
      amountBefore.value = null
    })
    if (source === '' || destination === '' || given === null || isOffLimits.value) {
      quote.value = null
      isAsking.value = false
      return
    }
    isAsking.value = true
    void ask(TYPING_MS)

    async function ask(delayMs: number): Promise<void> {
      await pause(delayMs, AbortSignal.any([end, untilChange()]))
      if (end.aborted || given === null) return
      try {
        const wanted = () => (side === 'from' ? { fromAmount: given } : { toAmount: given + fee })
        const quoted = () =>
          openReader().quote({ from: source, to: destination, recipient: '', destinationGas: withGas, ...wanted() }, { signal: end })
        let found = await quoted()
        if (side === 'to' && BigInt(found.network_fee ?? 0) !== fee) {
          fee = BigInt(found.network_fee ?? 0)
          found = await quoted()
        }
        askedAt = now.peek()
        batch(() => {
          const before = shown === null ? null : quotedAmount(shown)
          amountBefore.value = before === quotedAmount(found) ? null : before
          quote.value = found
          shown = found
          quoteProblem.value = null
          quoteRefusal.value = null
          isAsking.value = false
          isAway.value = false
        })
      } catch (error) {
        if (end.aborted) return
        batch(() => {
          quote.value = null
          isAway.value = error instanceof NetworkError
          quoteProblem.value = isAway.value ? null : explainRefusal(error, side)
          quoteRefusal.value = error instanceof ApiError ? error.code : null
          isAsking.value = false
        })
        return ask(RETRY_MS)
      }
      const [wasOffline, renewal] = [isOffline.peek(), renewals.peek()]
      const stopRefresh = effect(() => {
        const held = quote.value
        const isDue =
          isOffline.value !== wasOffline ||
          renewals.value !== renewal ||
          (held !== null && (now.value >= askedAt + REFRESH_SECONDS || now.value >= held.expires_at - 2))
        if (!end.aborted && !isDue) return
        queueMicrotask(() => {
          stopRefresh()
          if (!end.aborted) void ask(0)
        })
      })
    }
  })
}
