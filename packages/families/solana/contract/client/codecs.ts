// Encodes the program's instructions and accounts, as src/htlc.h lays them out.
import {
  type Address,
  createCodec,
  type FixedSizeCodec,
  getAddressCodec,
  getI64Codec,
  getStructCodec,
  getU8Codec,
  getU64Codec,
  type ReadonlyUint8Array,
} from '@solana/kit'

const bytes32Codec: FixedSizeCodec<ReadonlyUint8Array, ReadonlyUint8Array, 32> = createCodec({
  fixedSize: 32,
  write(value: ReadonlyUint8Array, bytes, offset) {
    if (value.length !== 32) throw new RangeError(`32 bytes are needed, not ${value.length}`)
    bytes.set(value, offset)
    return offset + 32
  },
  read: (bytes, offset) => [bytes.slice(offset, offset + 32), offset + 32],
})

const u40Codec: FixedSizeCodec<bigint, bigint, 5> = createCodec({
  fixedSize: 5,
  write(value: bigint, bytes, offset) {
    bytes.set(getU64Codec().encode(value).slice(0, 5), offset)
    return offset + 5
  },
  read: (bytes, offset) => [getU64Codec().decode(Uint8Array.of(...bytes.slice(offset, offset + 5), 0, 0, 0)), offset + 5],
})

export const tags = {
  initiateSol: 0n,
  redeemSol: 1n,
  refundSol: 2n,
  instantRefundSol: 3n,
  initiateToken: 4n,
  redeemToken: 5n,
  refundToken: 6n,
  instantRefundToken: 7n,
  close: 8n,
  initiateDepositedSol: 9n,
  initiateDepositedToken: 10n,
  returnSol: 11n,
  returnTokens: 12n,
} as const

export const tagCodec = getStructCodec([['tag', getU64Codec()]])

export const redeemCodec = getStructCodec([
  ['tag', getU64Codec()],
  ['secret', bytes32Codec],
])

type Initiate = {
  readonly tag: bigint
  readonly amount: bigint
  readonly timelock: bigint
  readonly initiateBefore: bigint
  readonly redeemer: Address
  readonly secretHash: ReadonlyUint8Array
}

// The types are named, because declarations cannot be written with an inferred type that a library of kit's own defines.
const initiateFields = [
  ['tag', getU64Codec()],
  ['amount', getU64Codec()],
  ['timelock', getU64Codec()],
  ['initiateBefore', getI64Codec()],
  ['redeemer', getAddressCodec()],
  ['secretHash', bytes32Codec],
] as const

export const initiateCodec: FixedSizeCodec<Initiate> = getStructCodec([...initiateFields])

/** `mint` is that of the order: the System program stands for SOL. */
export const returnCodec: FixedSizeCodec<Initiate & { readonly mint: Address }> = getStructCodec([
  ...initiateFields,
  ['mint', getAddressCodec()],
])

type SolOrder = {
  readonly status: number
  readonly kind: number
  readonly bump: number
  readonly settledSlot: bigint
  readonly amount: bigint
  readonly timelock: bigint
  readonly initiatedSlot: bigint
  readonly initiateBefore: bigint
  readonly secretOrHash: ReadonlyUint8Array
  readonly initiator: Address
  readonly redeemer: Address
  readonly rentPayer: Address
}

const orderFields = [
  ['status', getU8Codec()],
  ['kind', getU8Codec()],
  ['bump', getU8Codec()],
  ['settledSlot', u40Codec],
  ['amount', getU64Codec()],
  ['timelock', getU64Codec()],
  ['initiatedSlot', getU64Codec()],
  ['initiateBefore', getI64Codec()],
  ['secretOrHash', bytes32Codec],
  ['initiator', getAddressCodec()],
  ['redeemer', getAddressCodec()],
  ['rentPayer', getAddressCodec()],
] as const

export const solOrderCodec: FixedSizeCodec<SolOrder> = getStructCodec([...orderFields])
export const tokenOrderCodec: FixedSizeCodec<SolOrder & { readonly mint: Address; readonly vault: Address }> = getStructCodec([
  ...orderFields,
  ['mint', getAddressCodec()],
  ['vault', getAddressCodec()],
])
