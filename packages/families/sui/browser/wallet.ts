/** Wallets of Sui: any that follows the wallet standard with the features of Sui. No wallet library is imported. */
import { accountOf, featureOf, type StandardAccount, type StandardWallet } from '@tandem/chain-kit/browser/standard-account.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'

/** As the features of Sui take it. */
export type SuiTransaction = { toJSON(): Promise<string> }

export interface SuiWallet extends Wallet {
  /** The wallet adds the gas, signs and executes it. Resolves to the digest. `chain`: as the wallet standard names it. */
  execute(chain: string, from: string, transaction: SuiTransaction): Promise<string>
}

type Execute = {
  signAndExecuteTransaction(input: {
    readonly transaction: SuiTransaction
    readonly account: StandardAccount
    readonly chain: string
  }): Promise<{ readonly digest: string }>
}

/** `address`: one of the wallet's accounts. Default: its first. */
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
