/** The list of chain families. What each family brings is listed by this name in the files beside: the compiler asks for every one. */
export const familyNames = ['bitcoin', 'evm', 'hypercore', 'tron', 'solana', 'starknet', 'sui', 'xrpl'] as const
export type FamilyName = (typeof familyNames)[number]

/** Throws for a family that this version does not have. */
export function familyNameOf(name: string): FamilyName {
  const found = familyNames.find((known) => known === name)
  if (found === undefined) throw new Error(`this version knows no chains of the family "${name}"`)
  return found
}
