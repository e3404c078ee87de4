// Re-implements the functions of the Sui framework that wallets and this project call.
import { bcs } from '@mysten/sui/bcs'
import { ExecutionFailure, fail } from '../execution/failure.ts'
import { balanceIn, coinContents, MAX_U64 } from '../objects/coin.ts'
import { CLOCK_TYPE, coinOf, FRAMEWORK, UPGRADE_CAP_TYPE } from '../objects/types.ts'
import { transferable, transferTo } from './abilities.ts'
import type { MoveFunction, MoveModule, MoveValue } from './function.ts'

const COIN = coinOf('$0')

export function idOf({ bytes }: MoveValue): string {
  return bcs.Address.parse(bytes.slice(0, 32))
}

export function u64Value(value: bigint): MoveValue {
  return { type: 'u64', bytes: bcs.u64().serialize(value).toBytes() }
}

export function readU64({ bytes }: MoveValue): bigint {
  return BigInt(bcs.u64().parse(bytes))
}

export function newCoin(id: string, coinType: string, balance: bigint): MoveValue {
  return { type: coinOf(coinType), bytes: coinContents(id, balance) }
}

export function joinedBalance(left: MoveValue, right: MoveValue): bigint {
  const sum = balanceIn(left.bytes) + balanceIn(right.bytes)
  return sum > MAX_U64 ? fail('CoinBalanceOverflow') : sum
}

const fn = (definition: Partial<MoveFunction> & Pick<MoveFunction, 'run'>): MoveFunction => ({
  typeParameters: 1,
  parameters: [],
  returns: [],
  takesContext: false,
  ...definition,
})

/** The code is that of `sui::balance`. */
const NOT_ZERO = 0n
const NOT_ENOUGH = 2n

function abortInBalance(functionName: string, code: bigint): never {
  throw new ExecutionFailure({ kind: 'abort', code, location: { packageId: FRAMEWORK, module: 'balance', functionName } })
}

const coin: MoveModule = {
  value: fn({
    parameters: [{ pass: 'reference', type: COIN }],
    returns: ['u64'],
    run: (_context, _types, [of]) => [u64Value(balanceIn(of?.bytes ?? new Uint8Array()))],
  }),
  zero: fn({
    returns: [COIN],
    takesContext: true,
    run: ({ scratch }, [coinType = '']) => [newCoin(scratch.freshId(), coinType, 0n)],
  }),
  split: fn({
    parameters: [
      { pass: 'mutable reference', type: COIN },
      { pass: 'value', type: 'u64' },
    ],
    returns: [COIN],
    takesContext: true,
    run({ scratch }, [coinType = ''], [from, amount]) {
      if (from === undefined || amount === undefined) return fail('ArityMismatch')
      const balance = balanceIn(from.bytes)
      const taken = readU64(amount)
      if (taken > balance) abortInBalance('split', NOT_ENOUGH)
      from.set(coinContents(idOf(from), balance - taken))
      return [newCoin(scratch.freshId(), coinType, taken)]
    },
  }),
  join: fn({
    parameters: [
      { pass: 'mutable reference', type: COIN },
      { pass: 'value', type: COIN },
    ],
    run({ scratch }, _types, [into, from]) {
      if (into === undefined || from === undefined) return fail('ArityMismatch')
      into.set(coinContents(idOf(into), joinedBalance(into, from)))
      scratch.remove(idOf(from))
      return []
    },
  }),
  destroy_zero: fn({
    parameters: [{ pass: 'value', type: COIN }],
    run({ scratch }, _types, [of]) {
      if (of === undefined) return fail('ArityMismatch')
      if (balanceIn(of.bytes) !== 0n) abortInBalance('destroy_zero', NOT_ZERO)
      scratch.remove(idOf(of))
      return []
    },
  }),
}

const transfer: MoveModule = {
  public_transfer: fn({
    parameters: [
      { pass: 'value', type: '$0' },
      { pass: 'value', type: 'address' },
    ],
    run({ scratch }, [type = ''], [object, address]) {
      if (object === undefined || address === undefined) return fail('ArityMismatch')
      if (!transferable(type)) {
        throw new ExecutionFailure({ kind: 'type argument', argument: 0, problem: 'ConstraintNotSatisfied' })
      }
      scratch.write(transferTo(object, bcs.Address.parse(address.bytes)))
      return []
    },
  }),
}

const clock: MoveModule = {
  timestamp_ms: fn({
    typeParameters: 0,
    parameters: [{ pass: 'reference', type: CLOCK_TYPE }],
    returns: ['u64'],
    run: (_context, _types, [of]) => [u64Value(clockTime(of))],
  }),
}

const packages: MoveModule = {
  make_immutable: fn({
    typeParameters: 0,
    parameters: [{ pass: 'value', type: UPGRADE_CAP_TYPE }],
    run({ scratch }, _types, [cap]) {
      if (cap === undefined) return fail('ArityMismatch')
      scratch.remove(idOf(cap))
      return []
    },
  }),
}

/** The time is in milliseconds. */
export function clockTime(clockValue: MoveValue | undefined): bigint {
  if (clockValue === undefined) return fail('ArityMismatch')
  return BigInt(bcs.u64().parse(clockValue.bytes.slice(32)))
}

export const frameworkModules: Readonly<Record<string, MoveModule>> = { coin, transfer, clock, package: packages }
