/** Wallets that follow the wallet standard: how one of their accounts is chosen. */

/** The part of the wallet standard's `WalletAccount` that is used. */
export type StandardAccount = { readonly address: string }

/** The part of the wallet standard's `Wallet` that is used. Its features are told by their names. */
export interface StandardWallet {
  readonly name: string
  readonly accounts: readonly StandardAccount[]
  readonly features: Readonly<Record<string, unknown>>
}

/** `address`: null for the first account. Connects if the wallet does not show the account yet. */
export async function accountOf(wallet: StandardWallet, address: string | null): Promise<StandardAccount> {
  const find = () => wallet.accounts.find((account) => address === null || account.address === address)
  const known = find()
  if (known !== undefined) return known
  await featureOf<{ connect(): Promise<unknown> }>(wallet, 'standard:connect').connect()
  const found = find()
  if (found === undefined) throw new Error(`the wallet ${wallet.name} gives no access to ${address ?? 'an account'}`)
  return found
}

/** Throws if the wallet does not have it. */
export function featureOf<Feature>(wallet: StandardWallet, name: string): Feature {
  const feature = wallet.features[name]
  if (feature === undefined) throw new Error(`the wallet ${wallet.name} does not support ${name}`)
  return feature as Feature
}
