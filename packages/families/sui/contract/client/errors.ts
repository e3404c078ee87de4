/** Names the abort codes of the module `htlc`, like sources/htlc.move, without the leading E. */
export const abortCodes = {
  ZeroInitiator: 1,
  ZeroRedeemer: 2,
  SameParties: 3,
  PartyIsRegistry: 4,
  InvalidTimelock: 5,
  ZeroAmount: 6,
  InvalidSecretHash: 7,
  WrongCoinValue: 8,
  DuplicateOrder: 9,
  OrderNotInitiated: 10,
  OrderSettled: 11,
  OrderNotExpired: 12,
  WrongSecret: 13,
  NotRedeemer: 14,
  InvalidSignature: 15,
  TooLate: 16,
} as const

export type AbortName = keyof typeof abortCodes

const names: ReadonlyMap<number, AbortName> = new Map(
  Object.entries(abortCodes).map(([name, code]): [number, AbortName] => [code, name as AbortName]),
)

export function abortName(code: bigint | number): AbortName | null {
  return names.get(Number(code)) ?? null
}
