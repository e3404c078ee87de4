/** The wallets of this browser, by the standards that the SDK knows, and the one that the user chose for each family of chains. */
import { signal } from '@preact/signals'
import { discoverAllWallets, type FoundWallet, type Wallet } from '@tandem/sdk'
import { SaidError } from '../../shared/explain.ts'
import { rescue as texts } from '../../texts.ts'

const found = signal<readonly FoundWallet[]>([])
/** The ids of the chosen wallets, by family. */
const chosen = signal<Readonly<Record<string, string>>>({})

export function findWallets(): void {
  discoverAllWallets((wallet) => {
    found.value = [...found.value, wallet]
  })
}

export function walletsOf(family: string): readonly FoundWallet[] {
  return found.value.filter(({ families }) => (families as readonly string[]).includes(family))
}

/** A single wallet need not be chosen. */
export function chosenOf(family: string): FoundWallet | null {
  const wallets = walletsOf(family)
  return wallets.length === 1 ? (wallets[0] ?? null) : (wallets.find(({ id }) => id === chosen.value[family]) ?? null)
}

export function choose(family: string, id: string): void {
  chosen.value = { ...chosen.value, [family]: id }
}

export async function openWallet(family: string, chainName: string): Promise<Wallet> {
  const wallet = chosenOf(family)
  if (wallet === null) throw new SaidError(walletsOf(family).length === 0 ? texts.noWallet(chainName) : texts.chooseWallet(chainName))
  return wallet.open()
}
