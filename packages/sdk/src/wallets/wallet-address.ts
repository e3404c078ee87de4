/** The account of a wallet on a chain, by the name of the chain. */
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'

/** `chain`: as in asset ids. It may ask the user for access. */
export async function walletAddress(wallet: Wallet, chain: string): Promise<string> {
  const { chainNamed } = await import('../verify/pinned.ts')
  return wallet.address(chainNamed(chain))
}
