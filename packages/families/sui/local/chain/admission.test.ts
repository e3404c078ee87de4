// These tests send transactions that the chain refuses before it executes them: nothing is charged.
import type { Keypair } from '@mysten/sui/cryptography'
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1'
import { Secp256r1Keypair } from '@mysten/sui/keypairs/secp256r1'
import { Inputs, Transaction } from '@mysten/sui/transactions'
import { fromBase64, SUI_CLOCK_OBJECT_ID } from '@mysten/sui/utils'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { refOf } from '../grpc/gas-selection.ts'
import type { SuiObject } from '../objects/object.ts'
import { SUI_TYPE } from '../objects/types.ts'
import { type FixtureAccount, openSuiFixture, SUI } from '../sui.fixture.ts'
import { USDC_TYPE } from './genesis.ts'

const fixture = opened(openSuiFixture)
let user: FixtureAccount
let other: FixtureAccount
beforeAll(async () => {
  ;[user, other] = fixture.accounts
})

function coinOf({ sender }: FixtureAccount, coinType = SUI_TYPE): SuiObject {
  const [coin] = sender.coins(coinType)
  if (coin === undefined) throw new Error(`no ${coinType}`)
  return coin
}

function transaction(change: (tx: Transaction) => void = () => {}): Transaction {
  const tx = new Transaction()
  tx.setSender(user.address)
  tx.setGasPrice(1_000)
  tx.setGasBudget(SUI)
  tx.setGasPayment([refOf(coinOf(user))])
  change(tx)
  return tx
}

async function submit(tx: Transaction, signers: readonly Keypair[] = [user.keypair]) {
  const bytes = await tx.build()
  const signatures = await Promise.all(signers.map(async (signer) => fromBase64((await signer.signTransaction(bytes)).signature)))
  return fixture.chain.node.submit(bytes, signatures)
}

const named = (object: SuiObject, change: Partial<ReturnType<typeof refOf>>) => Inputs.ObjectRef({ ...refOf(object), ...change })
const transfer = (tx: Transaction, ...objects: Parameters<typeof tx.object>) => tx.transferObjects([tx.object(...objects)], other.address)
const shared = (registry: string, initialSharedVersion: string) =>
  Inputs.SharedObjectRef({ objectId: registry, initialSharedVersion, mutable: true })

describe('signatures', () => {
  it('of all simple schemes are accepted', async () => {
    for (const keypair of [new Secp256k1Keypair(), new Secp256r1Keypair()]) {
      const address = keypair.toSuiAddress()
      await fixture.fund(SUI_TYPE, address, SUI)
      const [coin] = fixture.chain.node.store.ownedBy(address)
      const tx = new Transaction()
      tx.transferObjects([tx.gas], other.address)
      tx.setSender(address)
      tx.setGasPrice(1_000)
      tx.setGasBudget(SUI / 10n)
      tx.setGasPayment(coin === undefined ? [] : [refOf(coin)])
      expect((await submit(tx, [keypair])).execution.failure).toBeNull()
    }
  })

  it('must be of the sender, over these bytes, and of nobody else', async () => {
    const absent = { status: 'INVALID_ARGUMENT', message: expect.stringContaining('Invalid user signature') }
    await expect(submit(transaction(), [other.keypair])).rejects.toMatchObject(absent)
    await expect(submit(transaction(), [])).rejects.toMatchObject(absent)
    await expect(submit(transaction(), [user.keypair, other.keypair])).rejects.toMatchObject(absent)
    const bytes = await transaction().build()
    const { signature } = await user.keypair.signTransaction(await transaction((tx) => tx.setGasBudget(SUI + 1n)).build())
    await expect(fixture.chain.node.submit(bytes, [fromBase64(signature)])).rejects.toMatchObject(absent)
    await expect(fixture.chain.node.submit(bytes, [new Uint8Array(97)])).rejects.toMatchObject(absent)
  })

  it('of a sponsor are needed for its gas coins', async () => {
    const sponsored = () =>
      transaction((tx) => {
        tx.setGasOwner(other.address)
        tx.setGasPayment([refOf(coinOf(other))])
        transfer(tx, named(coinOf(user, USDC_TYPE), {}))
      })
    await expect(submit(sponsored())).rejects.toMatchObject({ status: 'INVALID_ARGUMENT' })
    const before = await fixture.balance(SUI_TYPE, user.address)
    expect((await submit(sponsored(), [user.keypair, other.keypair])).execution.failure).toBeNull()
    expect(await fixture.balance(SUI_TYPE, user.address)).toBe(before)
    expect(await fixture.balance(USDC_TYPE, user.address)).toBe(0n)
    await fixture.fund(USDC_TYPE, user.address, 5n)
  })
})

describe('inputs and gas', () => {
  const cases: readonly (readonly [string, string, (tx: Transaction) => void])[] = [
    ['an old version', 'is not available for consumption', (tx) => transfer(tx, named(coinOf(user, USDC_TYPE), { version: '1' }))],
    ['another digest', 'Invalid Object digest', (tx) => transfer(tx, named(coinOf(user, USDC_TYPE), { digest: coinOf(other).digest }))],
    ['an unknown object', 'Could not find the referenced object', (tx) => transfer(tx, named(coinOf(user), { objectId: '0x77' }))],
    ['an object of another', 'not signed by the correct sender', (tx) => transfer(tx, named(coinOf(other, USDC_TYPE), {}))],
    ['the gas coin as an input', 'cannot appear more than one', (tx) => transfer(tx, named(coinOf(user), {}))],
    ['a shared object as its own', 'is not owned by an address', (tx) => transfer(tx, named(registry(), {}))],
    ['another initial version', 'another initial version', (tx) => void tx.object(shared(registry().id, '1'))],
    ['a clock to change', 'immutable parameter', (tx) => void tx.object(shared(SUI_CLOCK_OBJECT_ID, '1'))],
    ['an owned object as shared', 'is not a shared object', (tx) => void tx.object(shared(coinOf(user, USDC_TYPE).id, '1'))],
    ['a low gas price', 'under reference gas price (RGP) 1000', (tx) => tx.setGasPrice(999)],
    ['a small budget', 'is lower than min: 1000000', (tx) => tx.setGasBudget(999_999)],
    ['a large budget', 'is higher than max', (tx) => tx.setGasBudget(50_000_000_001n)],
    ['too little gas', 'is lower than the needed amount', (tx) => void [tx.setGasBudget(40n * SUI), tx.setGasPayment([small()])]],
    ['gas of another currency', 'is not a coin of SUI', (tx) => tx.setGasPayment([refOf(coinOf(user, USDC_TYPE))])],
    ['gas of another', 'not signed by the correct sender', (tx) => tx.setGasPayment([refOf(coinOf(other))])],
  ]
  const registry = () => {
    const found = fixture.chain.node.store.get(fixture.htlcs.sui.registry)
    if (found === null) throw new Error('no registry')
    return found
  }
  const small = () => refOf(user.sender.coins(SUI_TYPE).at(-1) ?? coinOf(user))

  it.each(cases)('%s is refused', async (_name, message, change) => {
    if (user.sender.coins(SUI_TYPE).length === 1) await fixture.fund(SUI_TYPE, user.address, 2n * SUI)
    const { ledger, store } = fixture.chain.node
    const before = [ledger.pending().length, store.get(coinOf(user).id)?.version]
    const status = message.startsWith('Could not find') ? 'ABORTED' : 'INVALID_ARGUMENT'
    await expect(submit(transaction(change))).rejects.toMatchObject({ status, message: expect.stringContaining(message) })
    expect([ledger.pending().length, store.get(coinOf(user).id)?.version]).toEqual(before)
  })

  it('bytes that are no transaction are refused', async () => {
    await expect(fixture.chain.node.submit(Uint8Array.of(1, 2, 3), [])).rejects.toMatchObject({ status: 'INVALID_ARGUMENT' })
  })
})
