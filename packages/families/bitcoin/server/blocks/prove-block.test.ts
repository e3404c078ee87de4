// Tests the proofs of blocks of a simulated chain, and how a lying node could change them.
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { startBitcoinRegtest } from '../../local/index.ts'
import { scriptOfAddress, walletAddress } from '../../terms/script/address.ts'
import { signWalletPayment } from '../../terms/wallet/sign.ts'
import { randomSigner, regtest } from '../bitcoin.fixture.ts'
import { createCoreBackend } from '../nodes/core-rpc.ts'
import { failure } from '../wallet/manual-mining.fixture.ts'
import { hashOf, type MadeTransaction, makeBlock, makeTransaction, taprootScript } from './block.fixture.ts'
import { proveBlock } from './prove-block.ts'
import { asRawBlock, type Walked } from './transaction-walk.ts'

const node = opened(() => startBitcoinRegtest({ premineBlocks: 110 }))
let hash: string
let bytes: Buffer
let transactions: Walked[]

beforeAll(async () => {
  const signer = randomSigner()
  const address = walletAddress(signer.publicKey, regtest)
  const backend = createCoreBackend(node.rpcUrl, regtest)
  for (const amount of [70_000n, 80_000n]) await node.faucet(address, amount)
  node.mine(1)
  for (const coin of await backend.coinsOf(address)) {
    const { raw } = signWalletPayment(signer, [coin], [{ amount: coin.amount - 5_000n, script: scriptOfAddress(address, regtest) }])
    expect(await backend.broadcast(raw)).toEqual({ accepted: true })
  }
  hash = node.mine(1)[0] ?? ''
  bytes = Buffer.from((await backend.rawBlock(hash)) ?? [])
  transactions = []
  asRawBlock(bytes).walk((transaction) => transactions.push(transaction))
})

const withTransactions = (parts: readonly Uint8Array[]) => Buffer.concat([bytes.subarray(0, 80), Uint8Array.of(parts.length), ...parts])
const parts = () => transactions.map(({ start, end }) => bytes.subarray(start, end))
const changed = (what: string) => failure('unreachable', new RegExp(`the ${what} that the node sent are not those of block`))

describe('a block', () => {
  it('is proven by its hash', () => {
    expect(transactions).toHaveLength(3)
    expect(proveBlock(bytes, hash).header.hash).toBe(hash)
    expect(proveBlock(withTransactions(parts()), hash).header.hash).toBe(hash)
  })

  it('is refused if it is another block', async () => {
    const backend = createCoreBackend(node.rpcUrl, regtest)
    const other = (await backend.blockAt(5n))?.hash ?? ''
    expect(() => proveBlock(bytes, other)).toThrow(failure('unreachable', /another block/))
  })

  it('is refused if a transaction is missing, added or repeated', () => {
    const [coinbase, first, second] = parts() as [Buffer, Buffer, Buffer]
    const invented = makeTransaction([`${hashOf(1)}:0`], [{ script: taprootScript(hashOf(2)), amount: 1n }])
    for (const lie of [
      [coinbase, first],
      [coinbase],
      [],
      [coinbase, second, first],
      [coinbase, first, invented.bytes],
      [coinbase, first, second, invented.bytes],
      // The merkle root of three is that of four where the last is repeated.
      [coinbase, first, second, second],
    ])
      expect(() => proveBlock(withTransactions(lie), hash)).toThrow(changed('transactions'))
  })

  it('is refused if a witness was changed', () => {
    const [coinbase, first, second] = transactions as [Walked, Walked, Walked]
    const [rawCoinbase, rawFirst, rawSecond] = parts() as [Buffer, Buffer, Buffer]
    const stripped = ({ start, bodyStart, bodyEnd, end }: Walked) =>
      Buffer.concat([bytes.subarray(start, start + 4), bytes.subarray(bodyStart, bodyEnd), bytes.subarray(end - 4, end)])
    const altered = Buffer.from(rawFirst)
    altered.writeUInt8(altered.readUInt8(first.bodyEnd - first.start + 10) ^ 1, first.bodyEnd - first.start + 10)
    const otherNonce = Buffer.from(rawCoinbase)
    otherNonce.writeUInt8(otherNonce.readUInt8(coinbase.bodyEnd - coinbase.start + 5) ^ 1, coinbase.bodyEnd - coinbase.start + 5)
    for (const lie of [
      [rawCoinbase, altered, rawSecond],
      [rawCoinbase, stripped(first), rawSecond],
      [rawCoinbase, stripped(first), stripped(second)],
      [stripped(coinbase), stripped(first), stripped(second)],
      [otherNonce, rawFirst, rawSecond],
    ])
      expect(() => proveBlock(withTransactions(lie), hash)).toThrow(changed('witnesses'))
  })

  it('without a witness commitment is refused if it has a witness', async () => {
    const first = await createCoreBackend(node.rpcUrl, regtest).rawBlock(regtest.genesisHash)
    expect(proveBlock(first ?? new Uint8Array(), regtest.genesisHash).header.hash).toBe(regtest.genesisHash)
    const witnessed = makeTransaction([`${hashOf(1)}:0`], [{ script: taprootScript(hashOf(2)), amount: 1n }])
    const coinbase = makeTransaction([COINBASE_INPUT], [{ script: taprootScript(hashOf(2)), amount: 1n }], null)
    const block = makeBlock(hashOf(0), 1_700_000_000, [coinbase, witnessed])
    expect(() => proveBlock(block.bytes, block.hash)).toThrow(changed('witnesses'))
  })

  it('with two transactions cannot pass as one transaction of 64 bytes, made of their ids', () => {
    // The bytes are one input with a script of 13 bytes and no output: 4 + 1 + 36 + 1 + 13 + 4 + 1 + 4.
    const first = makeUntil((id) => id[4] === 1, COINBASE_INPUT)
    const second = makeUntil((id) => id[9] === 13 && id[27] === 0, `${hashOf(1)}:0`)
    const block = makeBlock(hashOf(0), 1_700_000_000, [first, second])
    expect(proveBlock(block.bytes, block.hash).header.hash).toBe(block.hash)
    const ids = [first, second].map(({ txid }) => Buffer.from(txid, 'hex').reverse())
    const lie = Buffer.concat([block.bytes.subarray(0, 80), Uint8Array.of(1), ...ids])
    expect(() => proveBlock(lie, block.hash)).toThrow(changed('transactions'))
  })
})

const COINBASE_INPUT = `${'00'.repeat(32)}:${0xffffffff}`

function makeUntil(isWanted: (id: Buffer) => boolean, input: string): MadeTransaction {
  for (let amount = 1n; ; amount++) {
    const made = makeTransaction([input], [{ script: taprootScript(hashOf(2)), amount }], null)
    if (isWanted(Buffer.from(made.txid, 'hex').reverse())) return made
  }
}
