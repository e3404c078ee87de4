/** Connects to Sui wallets that implement the wallet standard with the features of Sui. No wallet library is imported. */
import { accountOf, featureOf, type StandardAccount, type StandardWallet } from '@tandem/chain-kit/browser/standard-account.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'

export type SuiTransaction = { toJSON(): Promise<string> }

export interface SuiWallet extends Wallet {
  /** The wallet adds the gas. Resolves to the digest. `chain` is the chain's name in the wallet standard. */
  execute(chain: string, from: string, transaction: SuiTransaction): Promise<string>
}

type Execute = {
  signAndExecuteTransaction(input: {
    readonly transaction: SuiTransaction
    readonly account: StandardAccount
    readonly chain: string
  }): Promise<{ readonly digest: string }>
}

export function suiWallet(wallet: StandardWallet, address?: string): SuiWallet {
  return {
    families: ['sui'],
    address: async () => (await accountOf(wallet, address ?? null)).address,
    async execute(chain, from, transaction) {
      const account = await accountOf(wallet, from)
      const feature = featureOf<Execute>(wallet, 'sui:signAndExecuteTransaction')
      return (await feature.signAndExecuteTransaction({ transaction, account, chain })).digest
    },
  }
}
