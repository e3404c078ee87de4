// Reads and makes the calls that an account's owner signed, as accounts for Cairo do.
import type { Calldata } from '../execution/calldata.ts'
import type { Felts } from '../felt.ts'
import type { ContractEnv } from './contract-class.ts'

/** Accounts differ only in how they check signatures. */
export type SignatureCheck = (env: ContractEnv, hash: bigint, signature: Felts) => boolean

export type UserCall = { readonly to: bigint; readonly selector: bigint; readonly calldata: Felts }

/** In the ABI this is `Array<Call>` or `Span<Call>`. */
export function readCalls(calldata: Calldata): readonly UserCall[] {
  const count = Number(calldata.u32())
  return Array.from({ length: count }, () => ({ to: calldata.address(), selector: calldata.felt(), calldata: calldata.felts() }))
}

export function makeCalls(env: ContractEnv, calls: readonly UserCall[]): Felts {
  const answers = calls.map(({ to, selector, calldata }) => env.call(to, selector, calldata))
  return [BigInt(answers.length), ...answers.flatMap((answer) => [BigInt(answer.length), ...answer])]
}
