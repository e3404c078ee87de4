// Reads the arguments of an entry point, like the code that Cairo generates.
import { ADDRESS_BOUND, type Felts, U128 } from '../felt.ts'
import { panic } from './panic.ts'

export interface Calldata {
  felt(): bigint
  address(): bigint
  u32(): bigint
  u64(): bigint
  u128(): bigint
  u256(): bigint
  bool(): boolean
  felts(): Felts
  /** The words are the fixed array [u32; 8]. */
  words(): Felts
  rest(): Felts
  end(): void
}

export function readCalldata(calldata: Felts): Calldata {
  let position = 0
  let parameter = 0

  const failure = () => panic(`Failed to deserialize param #${parameter}`)

  function next(): bigint {
    const felt = calldata[position]
    if (felt === undefined) throw failure()
    position += 1
    return felt
  }

  function below(bound: bigint): bigint {
    const felt = next()
    if (felt >= bound) throw failure()
    return felt
  }

  function argument<Value>(read: () => Value): Value {
    parameter += 1
    return read()
  }

  return {
    felt: () => argument(next),
    address: () => argument(() => below(ADDRESS_BOUND)),
    u32: () => argument(() => below(2n ** 32n)),
    u64: () => argument(() => below(2n ** 64n)),
    u128: () => argument(() => below(U128)),
    u256: () => argument(() => below(U128) + below(U128) * U128),
    bool: () => argument(() => below(2n) === 1n),
    felts: () =>
      argument(() => {
        const length = below(2n ** 32n)
        if (length > BigInt(calldata.length - position)) throw failure()
        return Array.from({ length: Number(length) }, next)
      }),
    words: () => argument(() => Array.from({ length: 8 }, () => below(2n ** 32n))),
    rest() {
      const left = calldata.slice(position)
      position = calldata.length
      return left
    },
    end() {
      if (position < calldata.length) throw panic('Input too long for arguments')
    },
  }
}
