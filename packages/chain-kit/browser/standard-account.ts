/** Chooses an account of a wallet that follows the wallet standard. */

export type StandardAccount = { readonly address: string }

export interface StandardWallet {
  readonly name: string
  readonly accounts: readonly StandardAccount[]
  readonly features: Readonly<Record<string, unknown>>
}

export async function accountOf(wallet: StandardWallet, address: string | null): Promise<StandardAccount> {
  const find = () => wallet.accounts.find((account) => address === null || account.address === address)
  const known = find()
  if (known !== undefined) return known
  await featureOf<{ connect(): Promise<unknown> }>(wallet, 'standard:connect').connect()
  const found = find()
  if (found === undefined) throw new Error(`the wallet ${wallet.name} gives no access to ${address ?? 'an account'}`)
  return found
}

export function featureOf<Feature>(wallet: StandardWallet, name: string): Feature {
  const feature = wallet.features[name]
  if (feature === undefined) throw new Error(`the wallet ${wallet.name} does not support ${name}`)
  return feature as Feature
}
