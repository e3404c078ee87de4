/** Tests how raw transactions and blocks are parsed, with witness and MWEB parts. */
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { outpointAt, walkBlock, walkTransaction } from '../blocks/transaction-walk.ts'
import { isCoinbase, type ParsedTransaction, parseHeader, parseTransaction } from './transaction.ts'

// These are Bitcoin's first block, and the first payment ever (block 170).
const genesis =
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c' +
  '01' +
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000'
const firstPayment =
  '0100000001c997a5e56e104102fa209c6a852dd90660a20b2d9c352423edce25857fcd3704000000004847304402204e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd410220181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d0901ffffffff0200ca9a3b00000000434104ae1a62fe09c5f51b13905f07f06b99a2f7159b2225f374cd378d71302fa28414e7aab37397f554a7df5f142c21c1b7303b8a0626f1baded5c72a704f7e6cd84cac00286bee0000000043410411db93e1dcdb8a016b49840f8c53bc1eb68a382e97b1482ecad7b148a6909a5cb2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3ac00000000'
// BIP143 has this transaction: native P2WPKH, one legacy and one witness input.
const witnessTransaction =
  '01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee635711000000'

function parseBlock(bytes: Uint8Array, format?: Parameters<typeof parseTransaction>[1]) {
  const header = parseHeader(bytes.slice(0, 80))
  const transactions: ParsedTransaction[] = []
  walkBlock(Buffer.from(bytes), ({ start, end }) => transactions.push(parseTransaction(bytesToHex(bytes.slice(start, end)), format)))
  return { header, transactions }
}

describe('raw transactions', () => {
  it('reads one without witness', () => {
    const tx = parseTransaction(firstPayment)
    expect(tx.txid()).toBe('f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16')
    expect(tx.inputs).toEqual([
      { outpoint: '0437cd7f8525ceed2324359c2d0ba26006d92d856a9c20fa0241106ee5a597c9:0', sequence: 0xffffffff, witness: [] },
    ])
    expect(tx.outputs.map((output) => output.amount)).toEqual([1_000_000_000n, 4_000_000_000n])
    expect(tx.vsize).toBe(275n)
    expect(isCoinbase(tx)).toBe(false)
  })

  it('reads one with witness, whose id does not depend on it', () => {
    const tx = parseTransaction(witnessTransaction)
    expect(tx.txid()).toBe('e8151a2af31c368a35053ddd4bdb285a8595c769a3ad83e0fa02314a602d4609')
    expect(tx.vsize).toBe(261n)
    expect(tx.inputs.map((input) => [input.sequence, input.witness.length])).toEqual([
      [0xffffffee, 0],
      [0xffffffff, 2],
    ])
    expect(bytesToHex(tx.inputs[1]?.witness[1] ?? new Uint8Array())).toBe(
      '025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee6357',
    )
    expect(bytesToHex(tx.bytes)).toBe(witnessTransaction)
  })

  it('refuses truncated and overlong bytes', () => {
    expect(() => parseTransaction(witnessTransaction.slice(0, -2))).toThrow(/too early/)
    expect(() => parseTransaction(`${witnessTransaction}00`)).toThrow(/left over/)
  })
})

describe('transactions of a network with MWEB', () => {
  const mweb = { mweb: { bech32: 'ltcmweb' } }
  const id = 'e8151a2af31c368a35053ddd4bdb285a8595c769a3ad83e0fa02314a602d4609'
  const withFlags = (hex: string, flags: string) => `${hex.slice(0, 8)}00${flags}${hex.slice(witnessTransaction === hex ? 12 : 8)}`
  const withPart = (hex: string, part: string) => `${hex.slice(0, -8)}${part}${hex.slice(-8)}`
  const part = `01${'ab'.repeat(777)}`

  it('are ordinary ones, if they have no MWEB part', () => {
    for (const hex of [firstPayment, witnessTransaction]) expect(parseTransaction(hex, mweb).txid()).toBe(parseTransaction(hex).txid())
  })

  it.each([
    ['a witness and a part', withPart(withFlags(witnessTransaction, '09'), part), 2, id],
    ['a part alone', withPart(withFlags(firstPayment, '08'), part), 0, 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16'],
    ['no part: the last one of a block', withPart(withFlags(witnessTransaction, '09'), '00'), 2, id],
  ])('with %s: inputs, outputs and id do not depend on it', (_, hex, witnessItems, txid) => {
    const tx = parseTransaction(hex, mweb)
    expect(tx.txid()).toBe(txid)
    expect(tx.outputs).toHaveLength(2)
    expect(tx.inputs.at(-1)?.witness).toHaveLength(witnessItems)
    expect(bytesToHex(tx.bytes)).toBe(hex)
  })

  it('on MWEB only: no ordinary inputs and outputs', () => {
    expect(parseTransaction(`0200000000080000${part}00000000`, mweb)).toMatchObject({ inputs: [], outputs: [] })
  })

  it('are refused on other networks, truncated, or with unknown flags', () => {
    const hex = withPart(withFlags(witnessTransaction, '09'), part)
    expect(() => parseTransaction(hex)).toThrow()
    expect(() => parseTransaction(withPart(withFlags(witnessTransaction, '09'), '02'), mweb)).toThrow(/MWEB part/)
    expect(() => parseTransaction(withFlags(witnessTransaction, '11'), mweb)).toThrow()
    expect(() => parseTransaction(`${withFlags(witnessTransaction, '09').slice(0, -8)}01`, mweb)).toThrow(/too early/)
  })

  describe('in blocks', () => {
    const [head, coinbase] = [genesis.slice(0, 160), genesis.slice(162)]
    const hogEx = withPart(withFlags(firstPayment, '08'), '00')
    const block = (...parts: string[]) => hexToBytes(head + parts.join(''))

    it('the last one is the HogEx, and the MWEB block follows it', () => {
      const { transactions } = parseBlock(block('03', coinbase, witnessTransaction, hogEx, part), mweb)
      expect(transactions.map((tx) => tx.txid())).toEqual([
        '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
        id,
        'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16',
      ])
    })

    it('are read without the extension too, which a node may leave out', () => {
      expect(parseBlock(block('02', coinbase, firstPayment), mweb).transactions).toHaveLength(2)
      expect(parseBlock(block('02', coinbase, hogEx), mweb).transactions).toHaveLength(2)
    })

    it('nothing comes after a block without MWEB, and no transaction has a part of its own', () => {
      expect(() => parseBlock(block('02', coinbase, firstPayment, part), mweb)).toThrow(/left over/)
      expect(() => parseBlock(block('02', hogEx, coinbase, part), mweb)).toThrow(/left over/)
      expect(() => parseBlock(block('02', coinbase, hogEx, part))).toThrow()
      expect(() => parseBlock(block('02', coinbase, withPart(withFlags(firstPayment, '08'), part)), mweb)).toThrow(/MWEB part/)
    })
  })
})

describe('a walk', () => {
  const many = (count: number) =>
    count
      .toString(16)
      .padStart(4, '0')
      .replace(/(..)(..)/, 'fd$2$1')
  // The counts of inputs, outputs and bytes of a script take more than one byte.
  const input = (n: number) => `${'0c'.repeat(32)}${n.toString(16).padStart(2, '0')}00000000ffffffff`
  const inputs = Array.from({ length: 300 }, (_, n) => input(n % 256)).join('')
  const output = `0100000000000000${many(600)}${'6a'.repeat(600)}`
  const large = `02000000${many(300)}${inputs}${many(256)}${output.repeat(256)}00000000`

  it.each([
    ['without witness', firstPayment],
    ['with witness', witnessTransaction],
    ['that is large', large],
  ])('finds every input and output of a transaction %s', (_, hex) => {
    const [bytes, whole] = [Buffer.from(hex, 'hex'), parseTransaction(hex)]
    const { inputs, outputs, start, end } = walkTransaction(bytes)
    expect([start, end]).toEqual([0, bytes.length])
    expect(inputs.map((position) => outpointAt(bytes, position))).toEqual(whole.inputs.map((one) => one.outpoint))
    const scripts = outputs.flatMap((at, i) => (i % 2 === 0 ? [bytes.toString('hex', at, at + (outputs[i + 1] ?? 0))] : []))
    expect(scripts).toEqual(whole.outputs.map((one) => bytesToHex(one.script)))
  })

  it('of a transaction with MWEB finds its ordinary inputs and outputs', () => {
    const bytes = Buffer.from(`0200000000080000${`01${'ab'.repeat(777)}`}00000000`, 'hex')
    expect(walkTransaction(bytes)).toMatchObject({ inputs: [], outputs: [] })
  })

  it('ends with an error where the bytes end', () => {
    const whole = Buffer.from(genesis, 'hex')
    for (let length = 80; length < whole.length; length++) expect(() => walkBlock(whole.subarray(0, length), () => undefined)).toThrow()
    expect(() => walkBlock(Buffer.concat([whole.subarray(0, 80), Buffer.alloc(9, 0xff)]), () => undefined)).toThrow()
  })
})

describe('raw blocks', () => {
  it('reads the first block there was', () => {
    const { header, transactions } = parseBlock(hexToBytes(genesis))
    expect(header).toEqual({
      hash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
      parentHash: '00'.repeat(32),
      merkleRoot: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
      time: 1_231_006_505n,
      bits: 0x1d00ffff,
    })
    expect(transactions.map((tx) => [tx.txid(), isCoinbase(tx)])).toEqual([
      ['4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b', true],
    ])
  })

  it('refuses truncated and overlong bytes', () => {
    expect(() => parseBlock(hexToBytes(genesis.slice(0, 100)))).toThrow(/80 bytes/)
    expect(() => parseBlock(concatBytes(hexToBytes(genesis), Uint8Array.of(0)))).toThrow(/left over/)
  })
})
