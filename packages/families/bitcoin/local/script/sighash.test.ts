// Compares signature messages with those of an independent implementation, for random transactions and every hash type.
import { Transaction as OtherTransaction } from '@scure/btc-signer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leafHashOf } from '../testing/spend.ts'
import { parseTransaction, type Transaction, type TransactionOutput } from '../transaction/transaction.ts'
import { legacySignatureHash } from './sighash-legacy.ts'
import { digestSpend, taprootSignatureHash, witnessV0SignatureHash } from './sighash-witness.ts'

const OPTIONS = { allowUnknownInputs: true, allowUnknownOutputs: true, disableScriptCheck: true, allowLegacyWitnessUtxo: true } as const

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const inputs = fc.array(
  fc.record({
    txid: bytes(32),
    index: fc.nat(5),
    sequence: fc.integer({ min: 0, max: 0xffffffff }),
    amount: fc.bigInt({ min: 1n, max: 10n ** 12n }),
  }),
  { minLength: 1, maxLength: 4 },
)
const outputs = fc.array(
  fc.record({ amount: fc.bigInt({ min: 0n, max: 10n ** 12n }), script: fc.uint8Array({ minLength: 1, maxLength: 40 }) }),
  { minLength: 1, maxLength: 4 },
)
const sample = fc.record({ inputs, outputs, lockTime: fc.integer({ min: 0, max: 0xffffffff }), pick: fc.nat(3) })

type Sample = typeof sample extends fc.Arbitrary<infer T> ? T : never
type Both = { other: OtherTransaction; ours: Transaction; spent: TransactionOutput[]; index: number }

const SCRIPT = Uint8Array.of(0x51, 0x20, ...new Uint8Array(32).fill(7))

function build({ inputs, outputs, lockTime, pick }: Sample): Both {
  const other = new OtherTransaction({ version: 2, lockTime, ...OPTIONS })
  for (const { txid, index, sequence, amount } of inputs) other.addInput({ txid, index, sequence, witnessUtxo: { script: SCRIPT, amount } })
  for (const output of outputs) other.addOutput(output)
  const spent = inputs.map(({ amount }) => ({ amount, script: SCRIPT }))
  return { other, ours: parseTransaction(other.toBytes(true, false)), spent, index: pick % inputs.length }
}

function signing({ ours, spent, index }: Both) {
  const input = ours.inputs[index]
  const output = spent[index]
  if (input === undefined || output === undefined) throw new RangeError('no such input')
  return { transaction: ours, digests: digestSpend(ours, spent), index, input, spent: output }
}

const HASH_TYPES = [1, 2, 3, 0x81, 0x82, 0x83]
const CODE = Uint8Array.of(0x76, 0xa9, 0x14, ...new Uint8Array(20), 0x88, 0xac)

describe('signature messages', () => {
  it.each(HASH_TYPES)('segwit v0, hash type %d', (hashType) => {
    fc.assert(
      fc.property(sample, (data) => {
        const both = build(data)
        const { amount } = signing(both).spent
        expect(witnessV0SignatureHash(signing(both), CODE, hashType)).toEqual(
          both.other.preimageWitnessV0(both.index, CODE, hashType, amount),
        )
      }),
      { numRuns: 40 },
    )
  })

  it.each([0, ...HASH_TYPES])('taproot key and script path, hash type %d', (hashType) => {
    fc.assert(
      fc.property(sample, (data) => {
        const both = build(data)
        fc.pre((hashType & 3) !== 3 || both.index < both.ours.outputs.length)
        const amounts = both.spent.map(({ amount }) => amount)
        const scripts = both.spent.map(({ script }) => script)
        const keyPath = taprootSignatureHash(signing(both), { annexHash: null, leaf: null }, hashType)
        expect(keyPath).toEqual(both.other.preimageWitnessV1(both.index, scripts, hashType, amounts))
        const leaf = { hash: leafHashOf(CODE), codeSeparatorPosition: 0xffffffff }
        const scriptPath = taprootSignatureHash(signing(both), { annexHash: null, leaf }, hashType)
        expect(scriptPath).toEqual(both.other.preimageWitnessV1(both.index, scripts, hashType, amounts, undefined, CODE))
      }),
      { numRuns: 40 },
    )
  })

  it('taproot knows no other hash types', () => {
    const both = build({
      inputs: [{ txid: new Uint8Array(32), index: 0, sequence: 0, amount: 1n }],
      outputs: [{ amount: 1n, script: CODE }],
      lockTime: 0,
      pick: 0,
    })
    const defined = Array.from({ length: 256 }, (_, i) => i).filter((hashType) =>
      taprootSignatureHash(signing(both), { annexHash: null, leaf: null }, hashType),
    )
    expect(defined).toEqual([0, 1, 2, 3, 0x81, 0x82, 0x83])
  })

  it('legacy SINGLE without its output signs the number one', () => {
    const both = build({
      inputs: [1, 2].map((index) => ({ txid: new Uint8Array(32).fill(index), index, sequence: 0, amount: 1n })),
      outputs: [{ amount: 1n, script: CODE }],
      lockTime: 0,
      pick: 1,
    })
    expect([...legacySignatureHash(both.ours, 1, CODE, 3)]).toEqual([1, ...new Uint8Array(31)])
  })
})
