/** Finds the wallets of this browser by the standards of all families: EIP-6963, the wallet standard, and objects that wallets put into the page. */

import { payingWallet } from '@tandem/bitcoin/browser/wallet.ts'
import type { StandardWallet } from '@tandem/chain-kit/browser/standard-account.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import { discoverWallets } from '@tandem/evm/browser/eip6963.ts'
import { eip1193Wallet } from '@tandem/evm/browser/wallet.ts'
import type { FamilyName } from '@tandem/protocol/chain.ts'
import { solanaWallet } from '@tandem/solana/browser/wallet.ts'
import { type StarknetWalletApi, starknetWallet } from '@tandem/starknet/browser/wallet.ts'
import { suiWallet } from '@tandem/sui/browser/wallet.ts'
import { type TronLink, tronLinkWallet } from '@tandem/tron/browser/wallet.ts'

/** `icon` is a data URL, or empty. `id` is the same in every page. */
export type FoundWallet = Pick<Wallet, 'families'> & {
  readonly id: string
  readonly name: string
  readonly icon: string
  open(): Promise<Wallet>
}

/** The families whose wallets a page can find: the others have no standard for it. */
export const discoverableFamilies: readonly FamilyName[] = ['evm', 'hypercore', 'solana', 'sui', 'starknet', 'tron', 'bitcoin']

/** A wallet of Bitcoin that sends by itself, as UniSat and others do. */
type BitcoinProvider = { requestAccounts(): Promise<readonly string[]>; sendBitcoin(to: string, satoshis: number): Promise<string> }

/** Calls `found` for each wallet and family, now and later, once each. Returns how to stop. `page` is the window; only tests name it. */
export function discoverAllWallets(
  found: (wallet: FoundWallet) => void,
  page: EventTarget = globalThis as unknown as EventTarget,
): () => void {
  const known = new Set<string>()
  const once = (wallet: FoundWallet) => {
    if (known.has(wallet.id)) return
    known.add(wallet.id)
    found({ ...wallet, icon: wallet.icon.startsWith('data:image/') ? wallet.icon : '' })
  }
  const stopEvm = discoverWallets(({ info, provider }) => {
    const wallet = eip1193Wallet(provider)
    once({ id: info.rdns, name: info.name, icon: info.icon, families: wallet.families, open: async () => wallet })
  }, page)
  const stopStandard = discoverStandard((wallet, icon) => {
    for (const [feature, family, open] of STANDARD_FAMILIES)
      if (feature in wallet.features)
        once({ id: `${family}:${wallet.name}`, name: wallet.name, icon, families: [family], open: async () => open(wallet) })
  }, page)
  for (const wallet of injected(page as unknown as Readonly<Record<string, unknown>>)) once(wallet)
  return () => {
    stopEvm()
    stopStandard()
  }
}

const STANDARD_FAMILIES = [
  ['solana:signAndSendTransaction', 'solana', solanaWallet],
  ['sui:signAndExecuteTransaction', 'sui', suiWallet],
] as const

/** By the wallet standard, wallets register with the page, no matter which of both is there first. */
function discoverStandard(found: (wallet: StandardWallet, icon: string) => void, page: EventTarget): () => void {
  const api = {
    register(...wallets: readonly (StandardWallet & { readonly icon?: string })[]) {
      for (const wallet of wallets) found(wallet, wallet.icon ?? '')
      return () => undefined
    },
  }
  const registered = (event: Event) => {
    const { detail } = event as Event & { readonly detail?: (given: typeof api) => void }
    detail?.(api)
  }
  page.addEventListener('wallet-standard:register-wallet', registered)
  page.dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }))
  return () => page.removeEventListener('wallet-standard:register-wallet', registered)
}

function* injected(page: Readonly<Record<string, unknown>>): Generator<FoundWallet> {
  for (const name of Object.keys(page).filter((key) => key.startsWith('starknet_'))) {
    const wallet = page[name] as (StarknetWalletApi & { readonly name?: string; readonly icon?: unknown }) | null | undefined
    if (typeof wallet?.request !== 'function') continue
    const icon = typeof wallet.icon === 'string' ? wallet.icon : ''
    yield { id: name, name: wallet.name ?? name, icon, families: ['starknet'], open: async () => starknetWallet(wallet) }
  }
  const tron = page.tronLink as TronLink | undefined
  if (typeof tron?.request === 'function')
    yield { id: 'tronLink', name: 'TronLink', icon: '', families: ['tron'], open: async () => tronLinkWallet(tron) }
  const bitcoin = page.unisat as BitcoinProvider | undefined
  if (typeof bitcoin?.sendBitcoin === 'function')
    yield { id: 'unisat', name: 'UniSat', icon: '', families: ['bitcoin'], open: async () => bitcoinWallet(bitcoin) }
}

async function bitcoinWallet(provider: BitcoinProvider): Promise<Wallet> {
  const [address] = await provider.requestAccounts()
  if (address === undefined) throw new Error('the wallet gives access to no account')
  return payingWallet({ address, pay: (to, amount) => provider.sendBitcoin(to, Number(amount)) })
}
