// These tests use the official SDK, unmodified, on the simulator: what works there must work here in the same way.
import { createHash, randomBytes } from 'node:crypto'
import { bcs } from '@mysten/sui/bcs'
import { coinWithBalance, Transaction } from '@mysten/sui/transactions'
import { fromBase64 } from '@mysten/sui/utils'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { describe, expect, it } from 'vitest'
import { initiateCall, redeemCall } from '../contract/client/calls.ts'
import { abortCodes } from '../contract/client/errors.ts'
import { orderId } from '../contract/client/order.ts'
import { USDC_TYPE } from './chain/genesis.ts'
import { SUI_TYPE } from './objects/types.ts'
import { newAccount, openSuiFixture, SUI, USDC } from './sui.fixture.ts'

const fixture = opened(() => openSuiFixture({ mining: 'instant' }))

describe('@mysten/sui', () => {
  it('builds, signs, executes and waits, with gas selected by simulation', async () => {
    const { client, accounts } = fixture
    const [user] = accounts
    const { address } = newAccount(fixture.chain)
    const tx = new Transaction()
    const [coin] = tx.splitCoins(tx.gas, [5n * SUI])
    tx.transferObjects([coin], address)
    const sent = await user.keypair.signAndExecuteTransaction({ transaction: tx, client })
    expect(sent.$kind).toBe('Transaction')
    const digest = sent.Transaction?.digest ?? ''
    const found = await client.waitForTransaction({ digest, include: { effects: true, balanceChanges: true, transaction: true } })
    const { gasUsed } = found.Transaction?.effects ?? {}
    const fee = BigInt(gasUsed?.computationCost ?? 0) + BigInt(gasUsed?.storageCost ?? 0) - BigInt(gasUsed?.storageRebate ?? 0)
    expect(fee).toBeGreaterThan(0n)
    expect(await fixture.balance(SUI_TYPE, address)).toBe(5n * SUI)
    expect(await fixture.balance(SUI_TYPE, user.address)).toBe(995n * SUI - fee)
    expect(found.Transaction?.balanceChanges).toContainEqual({ address, coinType: SUI_TYPE, amount: String(5n * SUI) })
    expect(found.Transaction?.checkpoint).toBe(String(fixture.chain.node.ledger.tip().sequenceNumber))
  })

  it('reads coins and balances', async () => {
    const { client, accounts } = fixture
    const [, user] = accounts
    const coins = await client.listCoins({ owner: user.address, coinType: USDC_TYPE })
    expect(coins.objects.map(({ balance }) => balance)).toEqual([String(1_000_000n * USDC)])
    expect((await client.listBalances({ owner: user.address })).balances).toHaveLength(2)
    expect((await client.getCoinMetadata({ coinType: USDC_TYPE })).coinMetadata).toMatchObject({ decimals: 6, symbol: 'USDC' })
  })

  it('completes a transaction kind with sender, gas price and gas budget', async () => {
    const { client, accounts, htlcs } = fixture
    const [, user, solver] = accounts
    const secretHash = createHash('sha256').update(randomBytes(32)).digest('hex')
    const terms = { initiator: user.address, redeemer: solver.address, timelock: 60_000n, amount: 2n * SUI, secretHash }
    const offline = new Transaction()
    const [coin] = offline.splitCoins(offline.gas, [terms.amount])
    initiateCall(offline, htlcs.sui, terms, coin)
    const kind = await offline.build({ onlyTransactionKind: true })

    const tx = Transaction.fromKind(new Uint8Array(JSON.parse(JSON.stringify([...kind]))))
    tx.setSender(user.address)
    tx.setGasPrice((await client.getReferenceGasPrice()).referenceGasPrice)
    tx.setGasBudget(20_000_000n)
    const { bytes, signature } = await tx.sign({ client, signer: user.keypair })
    const sent = await client.executeTransaction({ transaction: fromBase64(bytes), signatures: [signature], include: { events: true } })
    expect(sent.Transaction?.events?.map(({ eventType }) => eventType)).toEqual([`${fixture.packageId}::htlc::Initiated`])
    const state = await client.getDynamicField({
      parentId: htlcs.sui.registry,
      name: {
        type: 'vector<u8>',
        bcs: bcs
          .byteVector()
          .serialize(Buffer.from(orderId(htlcs.sui.registry, terms), 'hex'))
          .toBytes(),
      },
    })
    expect(state.dynamicField.value.type).toBe(`${fixture.packageId}::htlc::Order<${SUI_TYPE}>`)
  })

  it('collects coins of a token for an amount that no coin has', async () => {
    const { client, accounts, chain } = fixture
    const [, , user] = accounts
    await fixture.fund(USDC_TYPE, user.address, 5n, 6n)
    const { address } = newAccount(chain)
    const tx = new Transaction()
    tx.transferObjects([tx.add(coinWithBalance({ balance: 1_000_000n * USDC + 11n, type: USDC_TYPE }))], address)
    const sent = await user.keypair.signAndExecuteTransaction({ transaction: tx, client })
    expect(sent.$kind).toBe('Transaction')
    expect(await fixture.balance(USDC_TYPE, address)).toBe(1_000_000n * USDC + 11n)
    expect(await fixture.balance(USDC_TYPE, user.address)).toBe(0n)
  })

  it('simulates without gas, signature or effect, and says why a call would abort', async () => {
    const { client, accounts, htlcs, chain } = fixture
    const [user] = accounts
    const tx = new Transaction()
    redeemCall(tx, htlcs.sui, '00'.repeat(32), '00'.repeat(32))
    tx.setSender(user.address)
    const before = chain.node.ledger.tip()
    const { FailedTransaction: failed } = await client.simulateTransaction({ transaction: tx, include: { effects: true } })
    expect(failed?.status.error).toMatchObject({ $kind: 'MoveAbort', MoveAbort: { abortCode: String(abortCodes.OrderNotInitiated) } })
    await expect(user.keypair.signAndExecuteTransaction({ transaction: tx, client })).rejects.toThrow('abort code: 10')
    expect(chain.node.ledger.tip().totalTransactions).toBe(before.totalTransactions)
  })

  it('knows the signatures of functions', async () => {
    const { client, packageId } = fixture
    const { function: redeem } = await client.getMoveFunction({ packageId, moduleName: 'htlc', name: 'redeem' })
    expect(redeem.parameters.map(({ reference }) => reference)).toEqual(['mutable', null, null, 'mutable'])
    expect(redeem.parameters[0]?.body).toEqual({
      $kind: 'datatype',
      datatype: { typeName: `${packageId}::htlc::Registry`, typeParameters: [{ $kind: 'typeParameter', index: 0 }] },
    })
    await expect(client.getMoveFunction({ packageId, moduleName: 'htlc', name: 'pay_back' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
