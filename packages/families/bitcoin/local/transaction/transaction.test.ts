// Tests the transaction coder on a published segwit transaction, on random ones, and on malformed bytes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../wire/bytes.ts'
import { createTransaction, parseTransaction } from './transaction.ts'

/** BIP143 has this example, "Native P2WPKH", signed. */
const BIP143 =
  '01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee635711000000'

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHex)
const uint32 = fc.integer({ min: 0, max: 0xffffffff })
const body = fc.record({
  version: uint32,
  lockTime: uint32,
  inputs: fc.array(
    fc.record({
      txid: hash,
      index: uint32,
      scriptSig: fc.uint8Array({ maxLength: 300 }),
      sequence: uint32,
      witness: fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  outputs: fc.array(fc.record({ amount: fc.bigInt({ min: 0n, max: 2n ** 62n }), script: fc.uint8Array({ maxLength: 300 }) }), {
    maxLength: 3,
  }),
})

describe('transactions', () => {
  it('are read as BIP143 says', () => {
    const transaction = parseTransaction(fromHex(BIP143))
    expect(toHex(transaction.raw)).toBe(BIP143)
    expect(transaction.inputs[1]?.txid).toBe('8ac60eb9575db5b2d987e29f301b5b819ea83a5c6579d282d189cc04b8e151ef')
    expect(transaction.outputs.map(({ amount }) => amount)).toEqual([112_340_000n, 223_450_000n])
    expect(transaction.lockTime).toBe(17)
  })

  it('are the same after encoding and decoding', () => {
    fc.assert(
      fc.property(body, (value) => {
        const transaction = createTransaction(value)
        expect(parseTransaction(transaction.raw)).toEqual(transaction)
      }),
    )
  })

  it('are refused when truncated anywhere or followed by more bytes', () => {
    const raw = fromHex(BIP143)
    for (let length = 0; length < raw.length; length++) expect(() => parseTransaction(raw.subarray(0, length))).toThrow()
    expect(() => parseTransaction(Uint8Array.of(...raw, 0))).toThrow('data after the transaction')
  })

  it('are refused with a witness flag but no witness', () => {
    const raw = `01000000000101${'00'.repeat(36)}00ffffffff000000000000`
    expect(() => parseTransaction(fromHex(raw))).toThrow('superfluous witness record')
  })
})
