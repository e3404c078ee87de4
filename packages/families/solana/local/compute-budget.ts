// Reads the Compute Budget program's instructions: how many compute units a transaction may use, and what it offers for each.
import type { Address, Instruction } from '@solana/kit'
import type { WireMessage } from './wire-transaction.ts'

export const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111' as Address
const SET_UNIT_LIMIT = 2
const SET_UNIT_PRICE = 3

export type RequestedBudget = {
  readonly unitLimit: number | null
  /** The price is in micro-lamports per compute unit. */
  readonly unitPrice: bigint
}

export function requestedBudget({ instructions, staticAccounts }: WireMessage): RequestedBudget {
  let budget: RequestedBudget = { unitLimit: null, unitPrice: 0n }
  for (const { programAddressIndex, data } of instructions) {
    if (staticAccounts[programAddressIndex] !== COMPUTE_BUDGET || data === undefined) continue
    const bytes = Buffer.from(data)
    if (bytes[0] === SET_UNIT_LIMIT && bytes.length >= 5) budget = { ...budget, unitLimit: bytes.readUInt32LE(1) }
    if (bytes[0] === SET_UNIT_PRICE && bytes.length >= 9) budget = { ...budget, unitPrice: bytes.readBigUInt64LE(1) }
  }
  return budget
}

export function setUnitLimit(units: number): Instruction {
  const data = Buffer.alloc(5)
  data[0] = SET_UNIT_LIMIT
  data.writeUInt32LE(units, 1)
  return { programAddress: COMPUTE_BUDGET, accounts: [], data: Uint8Array.from(data) }
}

export function setUnitPrice(price: bigint): Instruction {
  const data = Buffer.alloc(9)
  data[0] = SET_UNIT_PRICE
  data.writeBigUInt64LE(price, 1)
  return { programAddress: COMPUTE_BUDGET, accounts: [], data: Uint8Array.from(data) }
}
