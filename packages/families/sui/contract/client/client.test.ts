/** Tests the client of the Move package: order ids, messages and events. */
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519'
import { Transaction } from '@mysten/sui/transactions'
import { hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { htlcPackage } from '../artifacts/htlc.ts'
import { deployment, orders, termsOf } from '../testing/vectors.ts'
import { redeemCall } from './calls.ts'
import { abortCodes, abortName } from './errors.ts'
import { decodeEvent, eventType } from './events.ts'
import { instantRefundMessage, orderId } from './order.ts'
import { isPublication, publicationKind, publishedModule } from './package.ts'

const [vector] = orders
if (vector === undefined) throw new Error('there is no vector')
const { packageId, registry } = deployment
const terms = termsOf(vector)

describe('order ids', () => {
  it('depend on the registry and on every term', () => {
    const changed = [
      orderId(`0x${'01'.repeat(32)}`, terms),
      ...[
        { initiator: terms.redeemer },
        { redeemer: terms.initiator },
        { timelock: terms.timelock + 1n },
        { amount: terms.amount + 1n },
        { secretHash: vector.secret },
      ].map((change) => orderId(registry, { ...terms, ...change })),
    ]
    expect(new Set([vector.orderId, ...changed]).size).toBe(7)
  })

  it('are not made of what does not fit', () => {
    for (const amount of [-1n, 2n ** 64n]) expect(() => orderId(registry, { ...terms, amount })).toThrow(RangeError)
    for (const secretHash of ['', '00', `0x${terms.secretHash}`, `${terms.secretHash}00`])
      expect(() => orderId(registry, { ...terms, secretHash })).toThrow('64 hex digits')
    for (const initiator of ['', '0x2', `0x${'zz'.repeat(32)}`, `0x${'00'.repeat(33)}`, 'ab'.repeat(32)])
      expect(() => orderId(registry, { ...terms, initiator })).toThrow('is not an address of Sui')
  })
})

it('a wallet signs an instant refund as a personal message', async () => {
  const redeemer = Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(2))
  expect(redeemer.toSuiAddress()).toBe(vector.redeemer)
  const { signature } = await redeemer.signPersonalMessage(instantRefundMessage(registry, vector.orderId))
  expect(Buffer.from(signature, 'base64').toString('hex')).toBe(`00${vector.signature}${vector.publicKey}`)
})

it('a secret of another length is not sent', () => {
  expect(() => redeemCall(new Transaction(), deployment, vector.orderId, `${vector.secret}00`)).toThrow('64 hex digits')
})

describe('events', () => {
  const type = eventType(packageId, 'Redeemed')
  const contents = hexToBytes(vector.events.redeemed)

  it('are those of this package and module only', () => {
    expect(decodeEvent(packageId, type, contents)).not.toBeNull()
    expect(decodeEvent(registry, type, contents)).toBeNull()
    for (const other of [type.replace('::htlc::', '::other::'), `${packageId}::htlc::Order`, `${type}<0x2::sui::SUI>`, `${type}::more`, ''])
      expect(decodeEvent(packageId, other, contents)).toBeNull()
  })

  it('are of exactly the bytes that the module writes', () => {
    const more = Uint8Array.of(...contents, 0)
    const longerId = Uint8Array.of(...contents)
    longerId[32] = 33
    for (const wrong of [contents.subarray(1), contents.subarray(0, -1), more, longerId, new Uint8Array()])
      expect(decodeEvent(packageId, type, wrong)).toBeNull()
  })

  it('come with a short package id too', () => {
    expect(decodeEvent('0xab', `0x${'0'.repeat(62)}ab::htlc::Redeemed`, contents)).toMatchObject({
      kind: 'redeemed',
      secret: vector.secret,
    })
  })
})

it('abort codes have names', () => {
  for (const [name, code] of Object.entries(abortCodes)) expect(abortName(BigInt(code))).toBe(name)
  expect(abortName(0)).toBeNull()
  expect(abortName(2n ** 64n - 1n)).toBeNull()
})

describe('a publication', () => {
  const transactionOf = async (tx: Transaction): Promise<Uint8Array> => {
    tx.setSender(vector.initiator)
    tx.setGasPrice(1_000)
    tx.setGasBudget(100_000_000)
    tx.setGasPayment([{ objectId: registry, version: 3, digest: '11111111111111111111111111111111' }])
    return tx.build()
  }
  const published = (dependencies: readonly string[] = htlcPackage.dependencies) => {
    const tx = new Transaction()
    return { tx, cap: tx.publish({ modules: [htlcPackage.module], dependencies: [...dependencies] }) }
  }

  it('burns the upgrade capability', async () => {
    expect(isPublication(await transactionOf(Transaction.fromKind(publicationKind())))).toBe(true)
  })

  it('is refused if somebody keeps the upgrade capability', async () => {
    const kept = published()
    kept.tx.transferObjects([kept.cap], vector.initiator)
    expect(isPublication(await transactionOf(kept.tx))).toBe(false)
  })

  it('is refused if it does anything else', async () => {
    const more = Transaction.fromKind(publicationKind())
    more.splitCoins(more.gas, [1])
    const burnt = published(htlcPackage.dependencies.slice(1))
    burnt.tx.moveCall({ target: '0x2::package::make_immutable', arguments: [burnt.cap] })
    for (const tx of [more, burnt.tx]) expect(isPublication(await transactionOf(tx))).toBe(false)
  })

  it('puts the id of the package into its module', () => {
    const [compiled, module] = [Buffer.from(htlcPackage.module, 'base64'), publishedModule(packageId)]
    const changed = [...module.keys()].filter((index) => module[index] !== compiled[index])
    expect(changed).toEqual(Array.from({ length: 32 }, (_, index) => htlcPackage.selfAddressOffset + index))
  })
})
