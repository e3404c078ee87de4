/** Who pays: a wallet of this browser, the play wallet of the local network, or any wallet by a deposit address. */
import { computed, signal } from '@preact/signals'
import { depositWallet, discoverAllWallets, type FoundWallet, type Wallet } from '../../../sdk/src/index.ts'
import { type Asset, familyOf } from './catalog.ts'
import { from, refundCheck } from './form.ts'
import { putEntry } from './history.ts'
import { getFeeCoins, playWallet } from './play.ts'

const found = signal<readonly FoundWallet[]>([])
/** By family: the id of the wallet that the user chose. */
const chosen = signal<Readonly<Record<string, string>>>({})

export function findWallets(): void {
  discoverAllWallets((wallet) => {
    found.value = [...found.value, wallet]
  })
}

/** Of the chain that is paid on. */
export const suitable = computed(() => {
  const family = from.value === null ? '' : familyOf(from.value.chain)
  return found.value.filter(({ families }) => (families as readonly string[]).includes(family))
})

export const connected = computed(() => {
  const family = from.value === null ? '' : familyOf(from.value.chain)
  return suitable.value.find(({ id }) => id === chosen.value[family]) ?? null
})

export function connect({ id, families }: FoundWallet): void {
  chosen.value = { ...chosen.value, ...Object.fromEntries(families.map((family) => [family, id])) }
}

/** Whether anybody can pay by sending to an address. */
export function takesDeposits({ chain }: Asset): boolean {
  return familyOf(chain) === 'bitcoin'
}

export type Payer = 'wallet' | 'play' | 'deposit' | null

export const payer = computed((): Payer => {
  const asset = from.value
  if (asset === null) return null
  if (connected.value !== null) return 'wallet'
  if (playWallet(asset) !== null) return 'play'
  return takesDeposits(asset) ? 'deposit' : null
})

/** `orderId`: that of the order which is paid, once it is known. */
export async function openPayer(asset: Asset, orderId: () => string | null): Promise<Wallet> {
  if (connected.value !== null) return connected.value.open()
  const play = await playWallet(asset)
  if (play !== null) {
    await getFeeCoins(asset, play.address)
    return play.wallet
  }
  const address = refundCheck.value?.address
  if (!takesDeposits(asset) || address == null) throw new Error('choose a wallet first')
  return depositWallet({
    address,
    show({ to, amount, uri }) {
      const id = orderId()
      if (id !== null) putEntry(id, { payment: { to, amount: amount.toString(), uri } })
    },
  })
}
