// The official SDK, unmodified, on the simulator: what works there must work here in the same way.
import { Transaction } from '@mysten/sui/transactions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { USDC_TYPE } from './chain/genesis.ts'
import { SUI_TYPE } from './objects/types.ts'
import { newAccount, openSuiFixture, SUI, type SuiFixture, USDC } from './sui.fixture.ts'

let fixture: SuiFixture
beforeAll(async () => {
  fixture = await openSuiFixture({ mining: 'instant' })
})
afterAll(() => fixture.close())

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
