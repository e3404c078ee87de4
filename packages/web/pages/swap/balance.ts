/** The payer's balance of the source asset, read from the node of this page. It is not shown without such a node or a connected wallet. */
import { computed, effect, signal } from '@preact/signals'
import { type Balance, walletAddress } from '@tandem/sdk'
import { now } from '../../shared/clock.ts'
import type { Asset } from './catalog.ts'
import { amount, fixedSide, from, quote } from './form.ts'
import { balances, playWallet } from './play.ts'
import { shownOrder } from './route.ts'
import { pinnedRegistry, settings } from './settings.ts'
import { openReader } from './tandem.ts'
import { type Payer, payer } from './wallets.ts'

const READ_EVERY_SECONDS = 5

const read = signal<{ readonly of: string; readonly balance: Balance } | null>(null)
const keyOf = (asset: Asset, { id }: Payer): string => `${asset.id} ${id}`
const tick = computed(() => Math.floor(now.value / READ_EVERY_SECONDS))
/** It is called after the play wallet got coins or paid. */
const played = computed(() => (from.value === null ? undefined : balances.value.get(from.value.id)))

/** The balance for the chosen asset and payer; null if it is not known. */
export const held = computed(() => {
  const [asset, { value: chosen }] = [from.value, payer]
  if (asset === null || chosen === null || read.value?.of !== keyOf(asset, chosen)) return null
  return read.value.balance
})

/**
 * Whether the balance is too small for the amount: `needed` includes the network fee if the asset pays it. It is null if it is enough, or
 * not known.
 */
export const shortage = computed(() => {
  const wanted = fixedSide.value === 'from' ? amount.value : quote.value === null ? null : BigInt(quote.value.source.amount)
  if (held.value === null || wanted === null || wanted <= held.value.spendable) return null
  const { balance, spendable } = held.value
  return { balance, needed: wanted + balance - spendable }
})

export function keepBalance(): void {
  effect(() => {
    const [asset, { value: chosen }] = [from.value, payer]
    void tick.value
    void played.value
    if (asset === null || chosen === null || shownOrder.value !== null) return
    // While the node does not answer, the last balance stays; the next tick asks again.
    void readFor(asset, chosen).catch(() => undefined)
  })
}

async function readFor(asset: Asset, chosen: Payer): Promise<void> {
  if (settings.peek()?.nodes[asset.chain.chain] === undefined) return
  const address = await addressOf(asset, chosen)
  const balance = address === undefined ? null : await openReader().balance(asset.id, address)
  if (balance !== null) read.value = { of: keyOf(asset, chosen), balance }
}

async function addressOf(asset: Asset, chosen: Payer): Promise<string | undefined> {
  if (chosen.kind === 'wallet') return walletAddress(await chosen.wallet.open(), asset.chain.chain, pinnedRegistry())
  return chosen.kind === 'play' ? (await playWallet(asset))?.address : undefined
}
