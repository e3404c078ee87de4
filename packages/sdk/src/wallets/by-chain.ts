/** Functions of wallets that take the name of a chain. The registry is loaded when one of them is called. */
import type { KeyWallet, KeyWalletOptions } from '@tandem/chain-kit/browser/key-wallet-options.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import type { PinnedRegistry } from '../verify/pinned.ts'

/** Returns the account of a wallet on a chain, whose name is as in asset ids. It may ask the user for access. */
export async function walletAddress(wallet: Wallet, chain: string, registry?: PinnedRegistry): Promise<string> {
  const { chainNamed } = await import('../verify/pinned.ts')
  return wallet.address(chainNamed(chain, registry))
}

/** A wallet of a private key, for scripts, bots and local networks, not for the savings of users. Rejects for a family without one. */
export async function keyWallet(options: KeyWalletOptions, registry?: PinnedRegistry): Promise<KeyWallet> {
  const { chainNamed } = await import('../verify/pinned.ts')
  const chain = chainNamed(options.asset.split(':')[0] ?? '', registry)
  switch (chain.family) {
    case 'evm':
      return (await import('@tandem/evm/browser/key-wallet.ts')).evmKeyWallet(options)
    case 'bitcoin':
      return (await import('@tandem/bitcoin/browser/key-wallet.ts')).bitcoinKeyWallet(options, chain)
    default:
      throw new Error(`there is no wallet of a private key for ${chain.id}: connect a wallet of your own`)
  }
}
