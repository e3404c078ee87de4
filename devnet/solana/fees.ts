// What a transaction costs: a fixed price for every signature, and what the sender offers per compute unit.
import type { WireMessage } from './wire-transaction.ts'

const LAMPORTS_PER_SIGNATURE = 5_000n
const MICRO = 1_000_000n
const DEFAULT_UNITS_PER_INSTRUCTION = 200_000
const UNITS_OF_BUILTIN = 3_000
const MAX_UNITS = 1_400_000

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111'
const SET_UNIT_LIMIT = 2
const SET_UNIT_PRICE = 3
/** Programs that are part of the runtime: they get fewer compute units by default. */
const builtins = new Set([
  COMPUTE_BUDGET,
  '11111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
])

export type Budget = {
  readonly unitLimit: number
  /** Micro-lamports per compute unit. */
  readonly unitPrice: bigint
}

export function budgetOf({ instructions, staticAccounts }: WireMessage): Budget {
  let [unitLimit, unitPrice, standard] = [undefined as number | undefined, 0n, 0]
  for (const { programAddressIndex, data } of instructions) {
    const program = staticAccounts[programAddressIndex] ?? ''
    standard += builtins.has(program) ? UNITS_OF_BUILTIN : DEFAULT_UNITS_PER_INSTRUCTION
    if (program !== COMPUTE_BUDGET || data === undefined) continue
    const bytes = Buffer.from(data)
    if (bytes[0] === SET_UNIT_LIMIT && bytes.length >= 5) unitLimit = bytes.readUInt32LE(1)
    if (bytes[0] === SET_UNIT_PRICE && bytes.length >= 9) unitPrice = bytes.readBigUInt64LE(1)
  }
  return { unitLimit: Math.min(unitLimit ?? standard, MAX_UNITS), unitPrice }
}

export function feeOf(message: WireMessage): bigint {
  const { unitLimit, unitPrice } = budgetOf(message)
  const priority = (BigInt(unitLimit) * unitPrice + MICRO - 1n) / MICRO
  return LAMPORTS_PER_SIGNATURE * BigInt(message.header.numSignerAccounts) + priority
}
