/** The payer is a wallet of this browser, the play wallet of the local network, or any wallet by a deposit address. */
import { computed, signal } from '@preact/signals'
import { depositWallet, discoverAllWallets, type FoundWallet, type Wallet } from '@tandem/sdk'
import { SaidError } from '../../shared/explain.ts'
import { swap } from '../../texts.ts'
import { type Asset, familyOf, isPaidAtHtlc } from './catalog.ts'
import { from, refundCheck } from './form.ts'
import { putEntry } from './history.ts'
import { getFeeCoins, hasPlayWallet, playWallet } from './play.ts'

export type Payer = { readonly id: string; readonly name: string } & (
  | { readonly kind: 'wallet'; readonly wallet: FoundWallet }
  | { readonly kind: 'play' | 'deposit' }
)

const PLAY: Payer = { id: 'play', kind: 'play', name: swap.wallet.play }
const DEPOSIT: Payer = { id: 'deposit', kind: 'deposit', name: swap.wallet.deposit }

const found = signal<readonly FoundWallet[]>([])
/** The id of the payer that the user chose, by family. */
const chosen = signal<Readonly<Record<string, string>>>({})

export function findWallets(): void {
  discoverAllWallets((wallet) => {
    found.value = [...found.value, wallet]
  })
}

/** The wallets that can send a transaction on the chain of this asset. */
export function sendersOf(asset: Asset): readonly Payer[] {
  const suitable = found.value.filter(({ families }) => (families as readonly string[]).includes(familyOf(asset.chain)))
  const wallets = suitable.map((wallet): Payer => ({ id: wallet.id, name: wallet.name, kind: 'wallet', wallet }))
  return hasPlayWallet(asset) ? [...wallets, PLAY] : wallets
}

/** All ways to pay with this asset. On some chains any other wallet can pay too, by sending to an address. */
export function payersOf(asset: Asset): readonly Payer[] {
  return asset.chain.takes_deposits ? [...sendersOf(asset), DEPOSIT] : sendersOf(asset)
}

export function choosePayer(asset: Asset, payer: Payer): void {
  const families = payer.kind === 'wallet' ? payer.wallet.families : [familyOf(asset.chain)]
  chosen.value = { ...chosen.value, ...Object.fromEntries(families.map((family) => [family, payer.id])) }
}

/** A wallet of the user is taken only if they chose it, and so is an address where a wallet is the usual way. */
function chosenOf(asset: Asset, payers: readonly Payer[]): Payer | null {
  const id = chosen.value[familyOf(asset.chain)]
  const isUsual = ({ kind }: Payer) => kind === 'play' || (kind === 'deposit' && isPaidAtHtlc(asset.chain))
  return payers.find((one) => one.id === id) ?? payers.find(isUsual) ?? null
}

/** It is null if the user must choose a wallet first. */
export const payer = computed(() => (from.value === null ? null : chosenOf(from.value, payersOf(from.value))))

/** `orderId` is that of the order which is paid, once it is known. */
export async function openPayer(asset: Asset, orderId: () => string | null): Promise<Wallet> {
  const chosenPayer = chosenOf(asset, payersOf(asset))
  const address = refundCheck.value?.address
  if (chosenPayer?.kind !== 'deposit') return openWallet(asset, chosenPayer, asset.isToken)
  if (address == null) throw new SaidError(swap.wallet.noRefundAddress)
  return depositWallet({
    address,
    show({ to, amount, uri }) {
      const id = orderId()
      if (id !== null) putEntry(id, { payment: { to, amount: amount.toString(), uri } })
    },
  })
}

/** The one that the user chose, or the only one. */
export async function openSender(asset: Asset): Promise<Wallet> {
  const senders = sendersOf(asset)
  return openWallet(asset, senders.length === 1 ? (senders[0] ?? null) : chosenOf(asset, senders), true)
}

/** `needsFee` is true if another coin pays for the transactions of the asset. */
async function openWallet(asset: Asset, sender: Payer | null, needsFee: boolean): Promise<Wallet> {
  if (sender?.kind === 'wallet') return sender.wallet.open()
  const play = await playWallet(asset)
  if (sender === null || play === null) throw new SaidError(swap.wallet.none)
  if (needsFee) await getFeeCoins(asset, play.address)
  return play.wallet
}
