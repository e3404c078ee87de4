/** What the payer holds of the asset that is paid, read from the node of this page. Nothing where no node tells it, or where nobody is connected. */
import { computed, effect, signal } from '@preact/signals'
import { type Balance, walletAddress } from '@tandem/sdk'
import { now } from '../../shared/clock.ts'
import type { Asset } from './catalog.ts'
import { amount, fixedSide, from, quote } from './form.ts'
import { balances, playWallet } from './play.ts'
import { shownOrder } from './route.ts'
import { settings } from './settings.ts'
import { openReader } from './tandem.ts'
import { type Payer, payer } from './wallets.ts'

const READ_EVERY_SECONDS = 5

const read = signal<{ readonly of: string; readonly balance: Balance } | null>(null)
const keyOf = (asset: Asset, { id }: Payer): string => `${asset.id} ${id}`
const tick = computed(() => Math.floor(now.value / READ_EVERY_SECONDS))
/** The play wallet has got coins, or has paid. */
const played = computed(() => (from.value === null ? undefined : balances.value.get(from.value.id)))

/** Of the asset and the payer that are chosen now; null: not known. */
export const held = computed(() => {
  const [asset, { value: chosen }] = [from.value, payer]
  if (asset === null || chosen === null || read.value?.of !== keyOf(asset, chosen)) return null
  return read.value.balance
})

/** What is missing to pay the amount that was typed or quoted: `needed` includes the fee where the asset pays it. Null: it is enough, or not known. */
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
    // A node that does not answer keeps the last balance; the next tick asks again.
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
  if (chosen.kind === 'wallet') return walletAddress(await chosen.wallet.open(), asset.chain.chain)
  return chosen.kind === 'play' ? (await playWallet(asset))?.address : undefined
}
