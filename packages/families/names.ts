/** Lists the chain families. The files beside have tables by these names, so the compiler demands an entry for each family. */
export const familyNames = ['bitcoin', 'evm', 'hypercore', 'tron', 'solana', 'starknet', 'sui', 'xrpl'] as const
export type FamilyName = (typeof familyNames)[number]

export function familyNameOf(name: string): FamilyName {
  const found = familyNames.find((known) => known === name)
  if (found === undefined) throw new Error(`this version knows no chains of the family "${name}"`)
  return found
}
