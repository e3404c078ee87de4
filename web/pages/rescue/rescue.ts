/** What the page does: finds swaps by the phrase, the file or the chains alone, and brings each to its end. Nothing is stored. */
import { signal } from '@preact/signals'
import { createTandem, type FoundDeposit, type OrderRecord, rescueKeys, type SavedSwap, type Tandem } from '../../../sdk/src/index.ts'
import { rescue as texts } from '../../texts.ts'
import type { RescueSettings } from './settings.ts'

/** A swap, as the file or the service knows it. */
export type Found = {
  readonly orderId: string
  readonly record: OrderRecord | null
  readonly saved: SavedSwap | null
  /** What is missing before it can go on. */
  readonly problem: string | null
}

export type Given = {
  readonly phrase: string
  /** The text of a rescue file; empty if there is none. */
  readonly file: string
  readonly baseUrl: string
  readonly appId: string
  readonly nodes: Readonly<Record<string, string>>
}

export type Opened = {
  readonly tandem: Tandem
  readonly swaps: readonly Found[]
  /** Why the service told nothing; null if it did. */
  readonly serviceProblem: string | null
}

export const opened = signal<Opened | null>(null)
/** By chain, as the user typed them. */
export const addresses = signal<Readonly<Record<string, string>>>({})
export const deposits = signal<readonly FoundDeposit[] | null>(null)

/** Throws for a wrong phrase or file, in words for the user. */
export async function open(settings: RescueSettings, given: Given): Promise<void> {
  const items = new Map<string, string>()
  const storage = { getItem: (key: string) => items.get(key) ?? null, setItem: (key: string, value: string) => void items.set(key, value) }
  const keys = await rescueKeys(given.phrase, storage)
  const { baseUrl, appId, nodes } = given
  const tandem = createTandem({ baseUrl, appId, nodes, deployments: settings.deployments, storage, keys })
  if (given.file !== '') await tandem.importFile(given.file)
  deposits.value = null
  await refresh(tandem)
}

/** Asks the service again, with the addresses that are known now. */
export async function refresh(tandem: Tandem): Promise<void> {
  const named = Object.fromEntries(Object.entries(addresses.value).filter(([, address]) => address.trim() !== ''))
  let told: readonly Found[] = []
  let serviceProblem: string | null = null
  try {
    const restored = await tandem.restore({ addresses: named })
    told = restored.map(({ orderId, record, problem }) => ({ orderId, record, saved: null, problem }))
  } catch (error) {
    serviceProblem = messageOf(error)
  }
  const saved = await tandem.swaps()
  const known = saved.map((swap): Found => {
    const restored = told.find(({ orderId }) => orderId === swap.orderId)
    return { orderId: swap.orderId, record: restored?.record ?? swap.paidFor, saved: swap, problem: null }
  })
  const others = told.filter(({ orderId }) => !saved.some((swap) => swap.orderId === orderId))
  opened.value = { tandem, swaps: [...known, ...others], serviceProblem }
}

/** The chains of the swaps that need an address of the user. */
export function chainsToName({ swaps }: Opened): readonly string[] {
  const chains = swaps.flatMap(({ record, problem }) =>
    record === null || problem === null ? [] : [record.source_swap.chain, record.destination_swap.chain],
  )
  return [...new Set(chains)].toSorted()
}

export type Act = (say: (text: string) => void) => Promise<void>

/** `least`: in the smallest unit; null where the storage knows what was agreed. */
export function resume({ tandem }: Opened, orderId: string, least: bigint | null): Act {
  return async (say) => {
    for await (const step of tandem.resume(orderId, null, least === null ? {} : { leastToAmount: least })) {
      if (step.kind === 'changed') say(step.record.status)
      else if (step.kind === 'received') say(texts.received(step.tx))
    }
    say(texts.ended)
  }
}

export function refundNow({ tandem }: Opened, orderId: string): Act {
  return async (say) => say(texts.refunded(await tandem.instantRefund(orderId)))
}

export function refundLater({ tandem }: Opened, orderId: string): Act {
  return async (say) => say(texts.refunded(await tandem.refund(orderId)))
}

export function redeemAlone({ tandem }: Opened, orderId: string): Act {
  return async (say) => say(texts.received(await tandem.redeem(orderId)))
}

export function sweep({ tandem }: Opened, chain: string, to: string): Act {
  return async (say) => {
    const hash = await tandem.sweep(chain, to)
    say(hash === null ? texts.nothingToSweep : texts.swept(hash))
  }
}

export function lookForDeposits({ tandem }: Opened, solvers: readonly string[]): Act {
  return async (say) => {
    deposits.value = await tandem.findDeposits({ solvers })
    say(deposits.value.length === 0 ? texts.noDeposits : texts.someDeposits(deposits.value.length))
  }
}

export function take({ tandem }: Opened, deposit: FoundDeposit, to: string): Act {
  return async (say) => say(texts.taken(await tandem.takeDeposit(deposit, to)))
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
