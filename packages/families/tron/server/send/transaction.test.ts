/** Tests that transactions are built and parsed as TronWeb does. */
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import { TronWeb } from 'tronweb'
import { type Hex, hexToBytes } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { accountOf, toEvmAddress } from '../../terms/address.ts'
import { joinTransaction, splitTransaction } from '../nodes/wire.ts'
import { expiresMsOf, readAttempt, signCall } from './transaction.ts'

const key = generatePrivateKey()
const signer = createTestSigner(key)
const call = { to: toEvmAddress('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'), data: '0xa9059cbb0123', value: 1_234_567n } as const
const reference = { height: 0x12345678n, hash: `0x0000000012345678${'ab'.repeat(24)}`, parentHash: '', time: 1_700_000_000n }
const frame = { reference, nowMs: 1_700_000_000_123n, ttlMs: 60_000n, feeLimitSun: 27_000_000n, energyPriceSun: 100n }

describe('a signed call', () => {
  it('has the same bytes as TronWeb makes', async () => {
    const attempt = await signCall(signer, call, frame)
    const tronWeb = new TronWeb({ fullHost: 'http://127.0.0.1:1', privateKey: key.slice(2) })
    const header = { ref_block_bytes: '5678', ref_block_hash: 'ab'.repeat(8), expiration: 1_700_000_060_123, timestamp: 1_700_000_000_123 }
    const options = { input: call.data.slice(2), callValue: 1_234_567, feeLimit: 27_000_000, txLocal: true, blockHeader: header }
    const built = await tronWeb.transactionBuilder.triggerSmartContract(
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      '',
      options,
      [],
      accountOf(signer),
    )
    const signed = await tronWeb.trx.sign(built.transaction)
    expect(attempt.tx).toBe(signed.txID)
    const { rawData, signatures } = splitTransaction(hexToBytes(attempt.raw as Hex))
    expect(Buffer.from(rawData).toString('hex')).toBe(signed.raw_data_hex.toLowerCase())
    expect(signatures.map((signature) => Buffer.from(signature).toString('hex'))).toEqual(
      signed.signature.map((text) => text.toLowerCase().replace(/^0x/, '')),
    )
  })

  it('is parsed from the recorded attempt alone', async () => {
    const attempt = await signCall(signer, call, frame)
    expect(await readAttempt({ ...attempt, at: 5n })).toEqual({
      tx: attempt.tx,
      raw: attempt.raw,
      call,
      expiresMs: 1_700_000_060_123n,
      feeLimitSun: 27_000_000n,
      at: 5n,
    })
    expect(expiresMsOf({ ...attempt, at: 0n })).toBe(1_700_000_060_123n)
    expect(attempt.feeRate).toBe(100n)
  })
})

describe('the outer layer of a transaction', () => {
  it('splits into the parts that it was joined from, at any size', () => {
    for (const size of [0, 1, 127, 128, 300, 20_000]) {
      const parts = { rawData: new Uint8Array(size).fill(7), signatures: [new Uint8Array(65).fill(9)] }
      const { rawData, signatures } = splitTransaction(joinTransaction(parts))
      expect(rawData).toEqual(parts.rawData)
      expect(signatures).toEqual(parts.signatures)
    }
  })

  it.each([
    ['nothing', '', /no raw data/],
    ['an end too early', '0a05aabb', /cut off/],
    ['a number without an end', '0affffffffff', /does not end/],
    ['a field of another kind', '0801', /unexpected field/],
    ['raw data twice', '0a01aa0a01bb', /unexpected field/],
  ])('is refused with %s', (_, hex, reason) => {
    expect(() => splitTransaction(Buffer.from(hex, 'hex'))).toThrow(reason)
  })
})
