// These tests check commands, gas and effects.
import { bcs } from '@mysten/sui/bcs'
import { Inputs, Transaction } from '@mysten/sui/transactions'
import { normalizeSuiAddress } from '@mysten/sui/utils'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { redeemCall, registryArgument } from '../../contract/client/calls.ts'
import { publishedModule } from '../../contract/client/package.ts'
import { USDC_TYPE } from '../chain/genesis.ts'
import { refOf } from '../grpc/gas-selection.ts'
import { readCoin } from '../objects/coin.ts'
import { storagePrice } from '../objects/object.ts'
import { SUI_TYPE } from '../objects/types.ts'
import { type FixtureAccount, newAccount, openSuiFixture, SUI } from '../sui.fixture.ts'
import { netCost } from './gas.ts'

const ANYONE = normalizeSuiAddress('0xa11ce')

const fixture = opened(openSuiFixture)
let user: FixtureAccount
beforeEach(async () => {
  user = newAccount(fixture.chain)
  await fixture.fund(SUI_TYPE, user.address, 5n * SUI)
  await fixture.fund(USDC_TYPE, user.address, 1_000n)
})

const owned = (coinType: string) => user.sender.coins(coinType).map((coin) => readCoin(coin)?.balance)
const input = (tx: Transaction, coinType: string, index = 0) => {
  const coin = user.sender.coins(coinType)[index]
  return tx.object(coin === undefined ? '0x0' : Inputs.ObjectRef(refOf(coin)))
}

describe('commands', () => {
  it('split, merge and transfer coins', async () => {
    const { execution } = await user.sender.execute((tx) => {
      const coin = input(tx, USDC_TYPE)
      const [first, second, third] = tx.splitCoins(coin, [100, 200, 300])
      tx.mergeCoins(second, [third])
      tx.transferObjects([first, second], ANYONE)
    })
    expect(owned(USDC_TYPE)).toEqual([400n])
    const received = [...execution.changes.values()].filter((object) => object?.owner.kind === 'address' && object.owner.address === ANYONE)
    expect(received.map((object) => object && readCoin(object)?.balance).sort()).toEqual([100n, 500n])
  })

  it('may give the gas coin away as a whole, and its fee is taken then', async () => {
    const before = await fixture.balance(SUI_TYPE, ANYONE)
    const { execution } = await user.sender.execute((tx) => tx.transferObjects([tx.gas], ANYONE))
    expect(owned(SUI_TYPE)).toEqual([])
    expect(await fixture.balance(SUI_TYPE, ANYONE)).toBe(before + 5n * SUI - netCost(execution.gas))
  })

  it('publish our package only, whose module then names its package', async () => {
    const { store } = fixture.chain.node
    const data = store.get(fixture.packageId)?.data
    expect(data?.kind === 'package' && data.modules.get('htlc')).toEqual(publishedModule(fixture.packageId))
    const { execution } = await user.sender.submit((tx) => {
      const cap = tx.publish({ modules: ['oRzrCwcAAAU='], dependencies: ['0x1', '0x2'] })
      tx.transferObjects([cap], user.address)
    })
    expect(execution.failure).toEqual({ failure: { kind: 'VMVerificationOrDeserializationError' }, command: 0 })
  })

  const failures: readonly (readonly [string, (tx: Transaction) => unknown, object, number | null])[] = [
    ['a result that nobody takes', (tx) => tx.splitCoins(tx.gas, [1]), { kind: 'unused value', result: 0, subresult: 0 }, null],
    ['more than a coin has', (tx) => tx.splitCoins(input(tx, USDC_TYPE), [1_001]), { kind: 'InsufficientCoinBalance' }, 0],
    ['coins of two currencies', (tx) => tx.mergeCoins(tx.gas, [input(tx, USDC_TYPE)]), argument(1, 'TypeMismatch'), 0],
    ['the gas coin taken whole', (tx) => tx.mergeCoins(input(tx, USDC_TYPE), [tx.gas]), argument(1, 'InvalidGasCoinUsage'), 0],
    ['a coin used twice', (tx) => give(tx, 2), argument(0, 'InvalidValueUsage'), 1],
    ['an unknown function', (tx) => tx.moveCall({ target: '0x2::coin::nothing' }), { kind: 'FunctionNotFound' }, 0],
    ['a missing type argument', (tx) => tx.moveCall({ target: '0x2::coin::zero' }), { kind: 'TypeArityMismatch' }, 0],
    ['a type that does not exist', (tx) => zero(tx, '0x2::sui::MOON'), { kind: 'type argument', problem: 'TypeNotFound' }, 0],
    ['a registry for another coin', (tx) => redeemWith(tx, USDC_TYPE), argument(0, 'TypeMismatch'), 0],
    ['a number for an address', (tx) => tx.transferObjects([input(tx, USDC_TYPE)], tx.pure.u64(5)), argument(1, 'InvalidBCSBytes'), 0],
    ['a shared object given away', (tx) => giveRegistry(tx), argument(0, 'InvalidTransferObject'), 0],
  ]

  it.each(failures)('%s fails, and only gas is taken', async (_name, build, failure, command) => {
    const before = owned(SUI_TYPE)[0] ?? 0n
    const { execution, effects } = await user.sender.submit(build)
    expect(execution.failure).toMatchObject({ failure, command })
    expect(owned(USDC_TYPE)).toEqual([1_000n])
    expect(owned(SUI_TYPE)).toEqual([before - netCost(execution.gas)])
    // An object that could have been changed has a new version even so.
    expect(effects.changed.every(({ after }) => after?.version === execution.lamportVersion)).toBe(true)
  })

  const give = (tx: Transaction, times: number) => {
    const coin = input(tx, USDC_TYPE)
    for (let given = 0; given < times; given += 1) tx.transferObjects([coin], ANYONE)
  }
  const zero = (tx: Transaction, type: string) => tx.moveCall({ target: '0x2::coin::zero', typeArguments: [type] })
  const redeemWith = (tx: Transaction, coinType: string) =>
    redeemCall(tx, { ...fixture.htlcs.sui, coinType }, '00'.repeat(32), '00'.repeat(32))
  const giveRegistry = (tx: Transaction) => tx.transferObjects([registryArgument(tx, fixture.htlcs.sui, true)], ANYONE)
})

function argument(index: number, problem: string): object {
  return { kind: 'argument', argument: index, problem }
}

describe('gas', () => {
  it('merges all coins of the payment into the first', async () => {
    await fixture.fund(SUI_TYPE, user.address, 3n * SUI, 2n * SUI)
    const payment = user.sender.coins(SUI_TYPE)
    const { client } = fixture
    const sent = await user.keypair.signAndExecuteTransaction({ transaction: nothing(), client })
    const { effects } =
      (await client.getTransaction({ digest: sent.Transaction?.digest ?? '', include: { effects: true } })).Transaction ?? {}
    const deleted = effects?.changedObjects.filter(({ idOperation }) => idOperation === 'Deleted').map(({ objectId }) => objectId)
    expect(deleted).toHaveLength(2)
    expect(payment.map(({ id }) => id)).toEqual(expect.arrayContaining(deleted ?? []))
    expect(owned(SUI_TYPE)).toHaveLength(1)
  })

  it('pays for storage, and gives 99 % of it back', async () => {
    const [coin] = user.sender.coins(SUI_TYPE)
    // A coin of SUI is 130 bytes, at 7,600 MIST each: the price on the public networks.
    expect(coin && storagePrice(coin)).toBe(988_000n)
    const { execution } = await user.sender.execute((tx) => tx.transferObjects([tx.splitCoins(tx.gas, [1])], user.address))
    expect(execution.gas).toMatchObject({ storageCost: 2n * 988_000n, storageRebate: 978_120n, nonRefundableStorageFee: 9_880n })
  })

  it('that is too little fails the transaction, which pays no more than its budget', async () => {
    const tx = nothing()
    for (let index = 0; index < 5; index += 1) tx.transferObjects([tx.splitCoins(tx.gas, [1])], user.address)
    tx.setGasBudget(1_500_000n)
    tx.setGasPrice(1_000n)
    tx.setGasPayment(user.sender.coins(SUI_TYPE).map(refOf))
    const sent = await user.keypair.signAndExecuteTransaction({ transaction: tx, client: fixture.client })
    expect(sent.FailedTransaction?.status.error?.message).toBe('InsufficientGas')
    const [left = 0n, ...more] = owned(SUI_TYPE)
    expect(more).toEqual([])
    expect(left).toBeLessThan(5n * SUI)
    expect(left).toBeGreaterThanOrEqual(5n * SUI - 1_500_000n)
  })

  const nothing = () => {
    const tx = new Transaction()
    tx.setSender(user.address)
    return tx
  }
})

it('has effects whose bytes say the same as the answer', async () => {
  const { effects, execution, transaction } = await user.sender.execute((tx) => tx.transferObjects([tx.splitCoins(tx.gas, [1])], ANYONE))
  const parsed = bcs.TransactionEffects.parse(effects.bytes).V2
  expect(parsed).toMatchObject({
    transactionDigest: transaction.digest,
    lamportVersion: String(execution.lamportVersion),
    gasUsed: { computationCost: String(execution.gas.computationCost) },
  })
  const gasIndex = parsed?.gasObjectIndex ?? -1
  expect(parsed?.changedObjects[gasIndex]?.[0]).toBe(execution.gasObject)
  for (const [index, { id, after }] of effects.changed.entries()) {
    expect(parsed?.changedObjects[index]?.[0]).toBe(id)
    expect(parsed?.changedObjects[index]?.[1].outputState.ObjectWrite?.[0]).toBe(after?.digest)
  }
})
