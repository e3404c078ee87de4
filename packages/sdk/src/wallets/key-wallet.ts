/** Wallets of a private key, for scripts, bots and local networks: whoever has the key has the money. Not for the savings of users. */
import type { KeyWallet, KeyWalletOptions } from '@tandem/chain-kit/browser/key-wallet-options.ts'

/** The code of the family is loaded here. Rejects for a family without one. */
export async function keyWallet(options: KeyWalletOptions): Promise<KeyWallet> {
  const { chainNamed } = await import('../verify/pinned.ts')
  const chain = chainNamed(options.asset.split(':')[0] ?? '')
  switch (chain.family) {
    case 'evm':
      return (await import('@tandem/evm/browser/key-wallet.ts')).evmKeyWallet(options)
    case 'bitcoin':
      return (await import('@tandem/bitcoin/browser/key-wallet.ts')).bitcoinKeyWallet(options, chain)
    default:
      throw new Error(`there is no wallet of a private key for ${chain.id}: connect a wallet of your own`)
  }
}
