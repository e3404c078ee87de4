/** Finds swaps by the phrase, the file or the chains alone, and completes or refunds each. Nothing is stored. */
import { signal } from '@preact/signals'
import { type AssetFacts, createTandem, memoryStorage, type OrderRecord, rescueKeys, type SavedSwap, type Tandem } from '@tandem/sdk'
import type { Explanation } from '../../shared/explain.ts'
import { swap as swapTexts, rescue as texts } from '../../texts.ts'
import type { Act } from './act.ts'
import { explainError, learnAssets } from './facts.ts'
import type { RescueSettings } from './settings.ts'
import { openWallet } from './wallets.ts'

/** A swap that the file or the service knows. */
export type Found = {
  readonly orderId: string
  readonly record: OrderRecord | null
  /** The record is current, from the service; otherwise it is from the time of the payment. */
  readonly isCurrent: boolean
  readonly saved: SavedSwap | null
  /** What is missing before it can continue. */
  readonly problem: string | null
  /** It had ended when it was found, and the user has nothing left to do. A swap that ends while it is shown does not become quiet. */
  readonly isQuiet: boolean
}

/** The service and the nodes to ask. */
export type Place = { readonly baseUrl: string; readonly appId: string; readonly nodes: Readonly<Record<string, string>> }

export type Given = Place & {
  readonly phrase: string
  /** The text of a rescue file; empty if there is none. */
  readonly file: string
}

export type Opened = {
  readonly tandem: Tandem
  readonly swaps: readonly Found[]
  /** Why the service did not answer; null if it did. */
  readonly serviceProblem: Explanation | null
}

export const opened = signal<Opened | null>(null)
/** The addresses by chain, as the user typed them. */
export const addresses = signal<Readonly<Record<string, string>>>({})

/** Throws for a wrong phrase or file, in words for the user. */
export async function open(settings: RescueSettings, given: Given): Promise<void> {
  const storage = memoryStorage()
  const keys = await rescueKeys(given.phrase, storage)
  const tandem = createTandem({ ...tandemOptions(settings, given), storage, keys })
  if (given.file !== '') await tandem.importFile(given.file)
  await refresh(tandem)
}

export function tandemOptions({ deployments, solverKeys, registry }: RescueSettings, { baseUrl, appId, nodes }: Place) {
  return { baseUrl, appId, nodes, deployments, solverKeys, ...(registry !== null && { registry }) }
}

/** Asks the service again, with the addresses that are known now. */
export async function refresh(tandem: Tandem): Promise<void> {
  const named = Object.fromEntries(Object.entries(addresses.value).filter(([, address]) => address.trim() !== ''))
  let fromService: readonly Found[] = []
  let serviceProblem: Explanation | null = null
  try {
    const restored = await tandem.restore({ addresses: named })
    fromService = restored.map(({ orderId, record, problem }) => withQuiet({ orderId, record, isCurrent: true, saved: null, problem }))
  } catch (error) {
    serviceProblem = explainError(error)
  }
  const saved = await tandem.swaps()
  const known = saved.map((swap): Found => {
    const record = fromService.find(({ orderId }) => orderId === swap.orderId)?.record ?? null
    return withQuiet({ orderId: swap.orderId, record: record ?? swap.paidFor, isCurrent: record !== null, saved: swap, problem: null })
  })
  const others = fromService.filter(({ orderId }) => !saved.some((swap) => swap.orderId === orderId))
  const swaps = [...known, ...others]
  await learnAssets(swaps.flatMap(assetsOf))
  opened.value = { tandem, swaps, serviceProblem }
}

function withQuiet(found: Omit<Found, 'isQuiet'>): Found {
  return { ...found, isQuiet: isEnded(found) && found.record?.next_action?.who !== 'user' }
}

export function assetsOf({ record, saved }: Pick<Found, 'record' | 'saved'>): readonly [source: string, destination: string] {
  const source = record?.source_swap.asset ?? saved?.request.source.asset ?? ''
  return [source, record?.destination_swap.asset ?? saved?.request.destination.asset ?? '']
}

const ENDED: ReadonlySet<string> = new Set(['redeemed', 'counterparty_redeemed', 'refunded', 'expired'])

/** True if the service says so. Deposits may still come late, or twice. */
export function isEnded({ record, isCurrent }: Pick<Found, 'record' | 'isCurrent'>): boolean {
  return isCurrent && ENDED.has(record?.status ?? '')
}

/** The chains of these swaps on which an address of the user is needed. */
export function chainsToName(swaps: readonly Found[]): readonly string[] {
  const chains = swaps.flatMap(({ record, problem }) =>
    record === null || problem === null ? [] : [record.source_swap.chain, record.destination_swap.chain],
  )
  return [...new Set(chains)].toSorted()
}

/** `minToAmount` is in the smallest unit; null if the storage knows what was agreed. */
export function resume({ tandem }: Opened, found: Found, minToAmount: bigint | null): Act {
  const { orderId } = found
  const [, asset] = assetsOf(found)
  return async (say) => {
    for await (const step of tandem.resume(orderId, null, minToAmount === null ? {} : { minToAmount })) {
      if (step.kind === 'changed') {
        show(step.record)
        say(swapTexts.order.status[step.record.status] ?? step.record.status)
      } else if (step.kind === 'delayed') say(step.by === 'node' ? swapTexts.order.nodeSilent : swapTexts.away, { details: step.reason })
      else if (step.kind === 'unverified') say(swapTexts.order.unverified, { details: step.reason })
      else if (step.kind === 'received') say(texts.received, { tx: txOn(asset, step.tx) })
    }
    say(texts.ended)
  }
}

/** Puts the newest record on the card of its swap. */
function show(record: OrderRecord): void {
  if (opened.value === null) return
  const swaps = opened.value.swaps.map((found) => (found.orderId === record.order_id ? { ...found, record, isCurrent: true } : found))
  opened.value = { ...opened.value, swaps }
}

export function refundNow({ tandem }: Opened, found: Found): Act {
  return async (say) => {
    say(swapTexts.order.instantWaits(null))
    say(texts.refunded, { tx: txOn(assetsOf(found)[0], await tandem.instantRefund(found.orderId)) })
  }
}

export function refundByService({ tandem }: Opened, found: Found): Act {
  return async (say) => say(texts.refunded, { tx: txOn(assetsOf(found)[0], await tandem.refund(found.orderId)) })
}

/** `facts` is the source asset on a chain with accounts; null if the user's own key refunds. */
export function refundAlone({ tandem }: Opened, found: Found, facts: AssetFacts | null): Act {
  return async (say) => {
    const wallet = facts === null ? {} : { wallet: await openWallet(facts.family, facts.chainName) }
    say(texts.refunded, { tx: txOn(assetsOf(found)[0], await tandem.refund(found.orderId, wallet)) })
  }
}

/** `facts` is the destination asset on a chain with accounts; null if the user's own key redeems. */
export function redeemAlone({ tandem }: Opened, found: Found, facts: AssetFacts | null, minToAmount: bigint | null): Act {
  return async (say) => {
    const wallet = facts === null ? {} : { wallet: await openWallet(facts.family, facts.chainName) }
    const tx = await tandem.redeem(found.orderId, { ...wallet, ...(minToAmount !== null && { minToAmount }) })
    say(texts.received, { tx: txOn(assetsOf(found)[1], tx) })
  }
}

export function sweep({ tandem }: Opened, chain: string, to: string): Act {
  return async (say) => {
    const hash = await tandem.sweep(chain, to)
    if (hash === null) say(texts.nothingToSweep)
    else say(texts.swept, { tx: { chain, hash } })
  }
}

const txOn = (asset: string, hash: string) => ({ chain: asset.split(':')[0] ?? '', hash })
