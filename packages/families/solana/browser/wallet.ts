/** Connects to Solana wallets that implement the wallet standard. No wallet library is imported. */
import { accountOf, featureOf, type StandardAccount, type StandardWallet } from '@tandem/chain-kit/browser/standard-account.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'

export interface SolanaWallet extends Wallet {
  /** `transaction` is unsigned and of version 0. `chain` is the chain's name in the wallet standard. Resolves to the signature. */
  signAndSend(chain: string, from: string, transaction: Uint8Array): Promise<Uint8Array>
  sign(chain: string, from: string, transaction: Uint8Array): Promise<Uint8Array>
}

type Input = { readonly account: StandardAccount; readonly chain: string; readonly transaction: Uint8Array }
type SignAndSend = { signAndSendTransaction(...inputs: readonly Input[]): Promise<readonly { readonly signature: Uint8Array }[]> }
type Sign = { signTransaction(...inputs: readonly Input[]): Promise<readonly { readonly signedTransaction: Uint8Array }[]> }

export function solanaWallet(wallet: StandardWallet, address?: string): SolanaWallet {
  return {
    families: ['solana'],
    address: async () => (await accountOf(wallet, address ?? null)).address,
    async signAndSend(chain, from, transaction) {
      const account = await accountOf(wallet, from)
      const feature = featureOf<SignAndSend>(wallet, 'solana:signAndSendTransaction')
      const [sent] = await feature.signAndSendTransaction({ account, chain, transaction })
      if (sent === undefined) throw new Error(`the wallet ${wallet.name} did not send the transaction`)
      return sent.signature
    },
    async sign(chain, from, transaction) {
      const account = await accountOf(wallet, from)
      const feature = featureOf<Sign>(wallet, 'solana:signTransaction')
      const [signed] = await feature.signTransaction({ account, chain, transaction })
      if (signed === undefined) throw new Error(`the wallet ${wallet.name} did not sign the transaction`)
      return signed.signedTransaction
    },
  }
}
