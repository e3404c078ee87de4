// Computes the fee of a transaction: a fixed price for every signature, and the sender's price per compute unit.
import { COMPUTE_BUDGET, requestedBudget } from './compute-budget.ts'
import type { WireMessage } from './wire-transaction.ts'

const LAMPORTS_PER_SIGNATURE = 5_000n
const MICRO = 1_000_000n
const MAX_UNITS = 1_400_000
/** This is the default for each instruction of a transaction that names no limit. */
const DEFAULT_UNITS = 200_000
const DEFAULT_UNITS_OF_BUILTIN = 3_000
const builtins: ReadonlySet<string> = new Set([
  COMPUTE_BUDGET,
  '11111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
])

/** The first byte of their data is the number of signatures that they verify, and each costs as much as one of the transaction. */
const verifiers: ReadonlySet<string> = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
])

export function feeOf(message: WireMessage): bigint {
  const { unitLimit, unitPrice } = requestedBudget(message)
  const units = BigInt(Math.min(unitLimit ?? defaultUnits(message), MAX_UNITS))
  const priority = (units * unitPrice + MICRO - 1n) / MICRO
  return LAMPORTS_PER_SIGNATURE * BigInt(message.header.numSignerAccounts + verifiedSignatures(message)) + priority
}

function verifiedSignatures({ instructions, staticAccounts }: WireMessage): number {
  const ofVerifiers = instructions.filter(({ programAddressIndex }) => verifiers.has(staticAccounts[programAddressIndex] ?? ''))
  return ofVerifiers.reduce((sum, { data }) => sum + (data?.[0] ?? 0), 0)
}

function defaultUnits({ instructions, staticAccounts }: WireMessage): number {
  const unitsOf = (program = '') => (builtins.has(program) ? DEFAULT_UNITS_OF_BUILTIN : DEFAULT_UNITS)
  return instructions.reduce((sum, { programAddressIndex }) => sum + unitsOf(staticAccounts[programAddressIndex]), 0)
}
