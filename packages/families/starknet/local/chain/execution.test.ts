// These tests check the changes and costs of executed transactions, and what reorgs undo.
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { accountOfKey } from '../account-keys.ts'
import { multisigAccountClass, panickingAccountClass, trueAccountClass } from '../classes/other-accounts.ts'
import { UDC_ADDRESSES } from '../classes/udc.ts'
import { defaultGasPrices, maxFeeOf } from '../execution/gas.ts'
import { type Felts, hex, selectorOf } from '../felt.ts'
import { addressFrom } from '../hashes.ts'
import { transferCall } from '../local-contracts.ts'
import type { LocalSender } from '../local-sender.ts'
import { openStarknetFixture } from '../starknet.fixture.ts'
import { boundsFor, type RawCall, signHash } from '../transactions/invoke.ts'

const fixture = openedForEach(() => openStarknetFixture())
let [sender, other]: LocalSender[] = []
beforeEach(async () => {
  ;[sender, other] = [fixture.accounts[0].sender, fixture.accounts[1].sender]
})

type Receipt = {
  readonly execution_status: string
  readonly revert_reason?: string
  readonly actual_fee: { readonly amount: string }
  readonly events: readonly { readonly from_address: string }[]
  readonly execution_resources: { readonly l1_gas: number; readonly l1_data_gas: number; readonly l2_gas: number }
}

function parties(): readonly [LocalSender, LocalSender] {
  if (sender === undefined || other === undefined) throw new Error('the chain did not start')
  return [sender, other]
}

const receiptOf = (hash: bigint) => fixture.call('starknet_getTransactionReceipt', { transaction_hash: hex(hash) }) as Promise<Receipt>
const nonceOf = (address: bigint) => fixture.call('starknet_getNonce', { block_id: 'latest', contract_address: hex(address) })
const wbtcOf = (address: bigint) => fixture.balance(fixture.wbtc, hex(address))
const strkOf = (address: bigint) => fixture.balance(fixture.strk, hex(address))
const pay = (to: bigint, amount: bigint): RawCall => transferCall(BigInt(fixture.wbtc), to, amount)

async function paymentEvents(from: bigint): Promise<readonly object[]> {
  const filter = { address: fixture.wbtc, keys: [[], [hex(from)]], chunk_size: 9 }
  return ((await fixture.call('starknet_getEvents', { filter })) as { events: object[] }).events
}

describe('a reverted transaction', () => {
  it('changes nothing but the nonce and the fee, and says why', async () => {
    const [from, to] = parties()
    const [wbtc, strk] = [await wbtcOf(from.address), await strkOf(from.address)]
    const transaction = from.invoke([pay(to.address, 5n), pay(to.address, wbtc)], { tip: 1_000n })
    fixture.chain.node.submit(transaction)
    fixture.chain.mine()
    const {
      execution_status: status,
      revert_reason: reason,
      actual_fee: fee,
      events,
      execution_resources: used,
    } = await receiptOf(transaction.hash)
    expect([status, await wbtcOf(from.address), await nonceOf(from.address)]).toEqual(['REVERTED', wbtc, '0x1'])
    expect(reason).toContain('ERC20: insufficient balance')
    expect(events.map(({ from_address: address }) => address)).toEqual([fixture.strk])
    const { l1DataGas, l2Gas } = defaultGasPrices
    expect(BigInt(fee.amount)).toBe(BigInt(used.l1_data_gas) * l1DataGas + BigInt(used.l2_gas) * (l2Gas + 1_000n))
    expect(await strkOf(from.address)).toBe(strk - BigInt(fee.amount))
    const estimate = { request: [from.invoke([pay(to.address, wbtc + 1n)]).json], simulation_flags: [], block_id: 'latest' }
    const failure = await fixture.failure('starknet_estimateFee', estimate)
    expect([failure.code, JSON.stringify(failure.data)]).toEqual([41, expect.stringContaining('insufficient balance')])
  })

  it('may have needed more gas than it allowed, or have spent the STRK for its fee', async () => {
    const [from, to] = parties()
    const spent = from.invoke([transferCall(BigInt(fixture.strk), to.address, (await strkOf(from.address)) - 1n)])
    const scarce = boundsFor({ l1Gas: 0n, l1DataGas: 100_000n, l2Gas: 600_000n }, defaultGasPrices)
    const short = from.invoke([pay(to.address, 5n)], { nonce: 1n, bounds: scarce })
    for (const transaction of [spent, short]) fixture.chain.node.submit(transaction)
    fixture.chain.mine()
    expect((await receiptOf(short.hash)).revert_reason).toContain('Insufficient max L2Gas: max amount: 600000')
    expect((await receiptOf(spent.hash)).revert_reason).toContain('Insufficient fee token balance')
  })
})

it('a transaction whose account lost its STRK before the block is rejected: it leaves no trace, and its nonce is free', async () => {
  const [from, to] = parties()
  const STRK = 10n ** 18n
  const rest = 5n * STRK
  const rich = from.invoke([transferCall(BigInt(fixture.strk), to.address, (await strkOf(from.address)) - rest)])
  const bounds = boundsFor({ l1Gas: 0n, l1DataGas: 0n, l2Gas: 900_000_000n }, defaultGasPrices)
  expect(maxFeeOf(bounds, 0n)).toBeGreaterThan(rest)
  const poor = from.invoke([pay(to.address, 1n)], { nonce: 1n, bounds })
  for (const transaction of [rich, poor]) fixture.chain.node.submit(transaction)
  fixture.chain.mine()
  expect((await receiptOf(rich.hash)).execution_status).toBe('SUCCEEDED')
  expect(await fixture.failure('starknet_getTransactionStatus', { transaction_hash: hex(poor.hash) })).toMatchObject({ code: 29 })
  expect(await nonceOf(from.address)).toBe('0x1')
})

describe('accounts', () => {
  function deploy(classHash: bigint, calldata: Felts): string {
    const [from] = parties()
    from.execute([
      {
        to: UDC_ADDRESSES[0],
        selector: selectorOf('deploy_contract'),
        calldata: [classHash, 0n, 0n, BigInt(calldata.length), ...calldata],
      },
    ])
    return hex(addressFrom(classHash, 0n, calldata))
  }
  const isValid = (account: string, hash: bigint, signature: Felts) => {
    const calldata = [hash, BigInt(signature.length), ...signature].map(hex)
    const request = { contract_address: account, entry_point_selector: hex(selectorOf('is_valid_signature')), calldata }
    return fixture.call('starknet_call', { request, block_id: 'latest' })
  }

  it('with two keys want both signatures, in their order', async () => {
    const [first, second] = ['0x2001', '0x2002'].map(accountOfKey)
    if (first === undefined || second === undefined) throw new Error('no keys')
    const account = deploy(multisigAccountClass.classHash, [first.publicKey, second.publicKey])
    const [a, b] = [signHash(first.privateKey, 77n), signHash(second.privateKey, 77n)]
    expect(await isValid(account, 77n, [...a, ...b])).toEqual(['0x56414c4944'])
    for (const wrong of [[...b, ...a], a, [...a, ...a], [...a, ...b, 0n]]) expect(await isValid(account, 77n, wrong)).toEqual(['0x0'])
  })

  it('of tests answer as their names say', async () => {
    expect(await isValid(deploy(trueAccountClass.classHash, []), 1n, [])).toEqual(['0x1'])
    await expect(isValid(deploy(panickingAccountClass.classHash, []), 1n, [])).rejects.toMatchObject({ code: 40 })
  })
})

describe('a reorganisation', () => {
  it('undoes blocks, and executes their transactions again on the new branch', async () => {
    const [from, to] = parties()
    const before = await wbtcOf(to.address)
    const hash = BigInt(from.execute([pay(to.address, 9n)]))
    fixture.chain.mine(2)
    const { block_hash: old } = (await receiptOf(hash)) as unknown as { block_hash: string }
    fixture.chain.faults.reorg(3)
    const { block_hash: now } = (await receiptOf(hash)) as unknown as { block_hash: string }
    expect(now).not.toBe(old)
    expect(await fixture.failure('starknet_getBlockWithTxs', { block_id: { block_hash: old } })).toMatchObject({ code: 24 })
    expect(await wbtcOf(to.address)).toBe(before + 9n)
    expect(await paymentEvents(from.address)).toMatchObject([{ block_hash: now }])
  })

  it('can leave them waiting, or forget them', async () => {
    const [from, to] = parties()
    const before = await wbtcOf(to.address)
    const hash = from.execute([pay(to.address, 9n)])
    fixture.chain.faults.reorg(1, { remine: false, blocks: 2 })
    expect(await fixture.call('starknet_getTransactionStatus', { transaction_hash: hash })).toEqual({ finality_status: 'RECEIVED' })
    expect([await wbtcOf(to.address), await nonceOf(from.address)]).toEqual([before, '0x0'])
    fixture.chain.mine()
    expect(await wbtcOf(to.address)).toBe(before + 9n)
    fixture.chain.faults.reorg(1, { transactions: 'drop' })
    expect(await fixture.failure('starknet_getTransactionStatus', { transaction_hash: hash })).toMatchObject({ code: 29 })
    expect(await wbtcOf(to.address)).toBe(before)
    expect(await paymentEvents(from.address)).toEqual([])
  })

  it('never reaches a block that is accepted on L1', () => {
    fixture.chain.mine(25)
    fixture.chain.faults.reorg(18)
    expect(() => fixture.chain.faults.reorg(19)).toThrow('accepted on L1')
  })
})

it('blocks come by the clock when somebody looks, and time can be moved', async () => {
  let now = 1_700_000_000_000
  const timed = await openStarknetFixture({ mining: 'timed', now: () => now })
  const height = Number(await timed.call('starknet_blockNumber'))
  now += 10_000
  expect(await timed.call('starknet_blockNumber')).toBe(height + 10)
  timed.chain.passSeconds(3_600)
  expect(await timed.call('starknet_getBlockWithTxHashes', { block_id: 'latest' })).toMatchObject({
    block_number: height + 11,
    timestamp: 1_700_003_610,
  })
  await timed.close()
})
