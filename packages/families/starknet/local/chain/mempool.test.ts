// These tests check which transactions the simulated sequencer accepts, refuses, replaces, executes and drops.
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { accountClass } from '../classes/account.ts'
import { defaultGasPrices } from '../execution/gas.ts'
import { hex } from '../felt.ts'
import { transferCall } from '../local-contracts.ts'
import { createLocalSender, type LocalSender } from '../local-sender.ts'
import { newKey, openStarknetFixture } from '../starknet.fixture.ts'
import { boundsFor, type Invocation, signedAccountDeployment } from '../transactions/invoke.ts'
import type { WireTransaction } from '../transactions/wire-transaction.ts'

const GAS = { l1Gas: 0n, l1DataGas: 10_000n, l2Gas: 10_000_000n }

const fixture = openedForEach(() => openStarknetFixture())
let sender: LocalSender
beforeEach(async () => {
  sender = fixture.accounts[0].sender
})

const pay = (options: Partial<Invocation> = {}, amount = 1n) =>
  sender.invoke([transferCall(BigInt(fixture.wbtc), fixture.accounts[1].sender.address, amount)], options)
const add = ({ json }: WireTransaction) => fixture.call('starknet_addInvokeTransaction', { invoke_transaction: json })
const refusal = ({ json }: WireTransaction) => fixture.failure('starknet_addInvokeTransaction', { invoke_transaction: json })
const status = async ({ hash }: WireTransaction) => {
  const answer = (await fixture
    .call('starknet_getTransactionStatus', { transaction_hash: hex(hash) })
    .catch((error) => ({ finality_status: error.code }))) as {
    finality_status: unknown
    execution_status?: string
  }
  return [answer.finality_status, answer.execution_status].filter((part) => part !== undefined).join(' ')
}
const bounds = (percent: bigint) => {
  const { l1Gas, l1DataGas, l2Gas } = boundsFor(GAS, defaultGasPrices)
  const scale = ({ maxAmount, maxPrice }: typeof l2Gas) => ({ maxAmount, maxPrice: (maxPrice * percent) / 100n })
  return { l1Gas: scale(l1Gas), l1DataGas: scale(l1DataGas), l2Gas: scale(l2Gas) }
}

describe('a transaction', () => {
  it('is received, pre-confirmed when the sequencer has executed it, and accepted in a block', async () => {
    const transaction = pay()
    expect(await add(transaction)).toEqual({ transaction_hash: hex(transaction.hash) })
    expect(await status(transaction)).toBe('RECEIVED')
    const { address } = fixture.accounts[1]
    const before = await fixture.balance(fixture.wbtc, address)
    fixture.chain.faults.preConfirm()
    expect(await status(transaction)).toBe('PRE_CONFIRMED SUCCEEDED')
    expect(await fixture.balance(fixture.wbtc, address)).toBe(before)
    const nonce = (block: string) => fixture.call('starknet_getNonce', { block_id: block, contract_address: hex(sender.address) })
    expect([await nonce('latest'), await nonce('pre_confirmed')]).toEqual(['0x0', '0x1'])
    expect(await fixture.call('starknet_getTransactionReceipt', { transaction_hash: hex(transaction.hash) })).not.toHaveProperty(
      'block_hash',
    )
    fixture.chain.mine()
    expect(await status(transaction)).toBe('ACCEPTED_ON_L2 SUCCEEDED')
    expect(await fixture.balance(fixture.wbtc, address)).toBe(before + 1n)
  })

  it('that was pre-confirmed can still disappear', async () => {
    const [kept, lost] = [pay(), pay({ nonce: 1n })]
    await add(kept)
    fixture.chain.faults.preConfirm()
    fixture.chain.faults.dropPreConfirmed()
    expect(await status(kept)).toBe('RECEIVED')
    fixture.chain.mine()
    expect(await status(kept)).toBe('ACCEPTED_ON_L2 SUCCEEDED')
    await add(lost)
    fixture.chain.faults.preConfirm()
    fixture.chain.faults.dropPreConfirmed('drop')
    expect(await status(lost)).toBe('29')
    expect(fixture.chain.faults.evict(hex(lost.hash))).toBe(false)
  })

  it('needs the right key, hash, chain and account', async () => {
    const good = pay()
    const wrong = (changes: object) => ({ ...good, json: { ...good.json, ...changes } })
    const signature = good.json.signature as string[]
    expect(await refusal(wrong({ signature: [signature[1], signature[0]] }))).toMatchObject({ code: 55 })
    expect(await refusal(wrong({ signature: [] }))).toMatchObject({ code: 55, data: expect.stringContaining('Account: invalid signature') })
    expect(await refusal(wrong({ tip: '0x1' }))).toMatchObject({ code: 55 })
    expect(await refusal(wrong({ calldata: ['0x0'] }))).toMatchObject({ code: 55 })
    expect(await refusal(wrong({ sender_address: fixture.accounts[1].address }))).toMatchObject({ code: 55 })
    expect(await refusal(wrong({ sender_address: '0x777' }))).toMatchObject({ code: 55, data: expect.stringContaining('is not deployed') })
    expect(await refusal(wrong({ sender_address: fixture.wbtc }))).toMatchObject({ code: 58 })
    expect(await refusal(wrong({ version: '0x100000000000000000000000000000003' }))).toMatchObject({ code: 61 })
    const elsewhere = await openStarknetFixture({ chainId: 'SN_OTHER' })
    expect(await elsewhere.failure('starknet_addInvokeTransaction', { invoke_transaction: good.json })).toMatchObject({ code: 55 })
    await elsewhere.close()
    await add(good)
  })

  it('is sent once, and its nonce is used once', async () => {
    const first = pay()
    await add(first)
    expect(await refusal(first)).toMatchObject({ code: 59 })
    fixture.chain.mine()
    expect(await refusal(first)).toMatchObject({ code: 52 })
    expect(await refusal(pay({ nonce: 0n }, 2n))).toMatchObject({ code: 52 })
    expect(await refusal(pay({ nonce: 300n }))).toMatchObject({ code: 52 })
  })

  it('ahead of its nonce waits for those before it', async () => {
    const [first, second] = [pay(), pay({ nonce: 1n })]
    await add(second)
    fixture.chain.mine()
    expect(await status(second)).toBe('RECEIVED')
    await add(first)
    fixture.chain.mine()
    expect([await status(first), await status(second)]).toEqual(['ACCEPTED_ON_L2 SUCCEEDED', 'ACCEPTED_ON_L2 SUCCEEDED'])
  })

  it('is replaced by one that pays a tenth more in tip and in price, and only by such', async () => {
    const first = pay({ tip: 100n, bounds: bounds(100n) })
    await add(first)
    expect(await refusal(pay({ tip: 110n, bounds: bounds(109n) }))).toMatchObject({ code: 64 })
    expect(await refusal(pay({ tip: 109n, bounds: bounds(110n) }))).toMatchObject({ code: 64 })
    const second = pay({ tip: 110n, bounds: bounds(110n) })
    await add(second)
    expect(await status(first)).toBe('29')
    fixture.chain.mine()
    expect(await status(second)).toBe('ACCEPTED_ON_L2 SUCCEEDED')
  })

  it('must offer the price and own the highest fee', async () => {
    expect(await refusal(pay({ bounds: bounds(49n) }))).toMatchObject({ code: 53 })
    const starved = { ...bounds(100n), l2Gas: { maxAmount: 1_000n, maxPrice: 10n ** 12n } }
    expect(await refusal(pay({ bounds: starved }))).toMatchObject({ code: 53 })
    const greedy = { ...bounds(100n), l2Gas: { maxAmount: 2n ** 60n, maxPrice: 10n ** 12n } }
    expect(await refusal(pay({ bounds: greedy }))).toMatchObject({ code: 54 })
  })

  it('waits while the price is above what it offers', async () => {
    const transaction = pay({ bounds: bounds(100n) })
    await add(transaction)
    fixture.chain.setGasPrices({ ...defaultGasPrices, l2Gas: defaultGasPrices.l2Gas * 3n })
    fixture.chain.mine(3)
    expect(await status(transaction)).toBe('RECEIVED')
    fixture.chain.setGasPrices(defaultGasPrices)
    fixture.chain.mine()
    expect(await status(transaction)).toBe('ACCEPTED_ON_L2 SUCCEEDED')
  })

  it('is forgotten without a trace when a sequencer drops, evicts or rejects it', async () => {
    fixture.chain.faults.drop(1)
    const dropped = pay()
    await add(dropped)
    expect(await status(dropped)).toBe('29')
    const evicted = pay()
    await add(evicted)
    expect(fixture.chain.faults.evict(hex(evicted.hash))).toBe(true)
    expect(await status(evicted)).toBe('29')
  })

  it('of a fresh account may follow its deployment before that is in a block', async () => {
    const fresh = createLocalSender(fixture.chain.node, newKey())
    fixture.fund(fixture.strk, hex(fresh.address), 10n ** 19n)
    const offer = { tip: 0n, bounds: bounds(100n) }
    const deployment = signedAccountDeployment(
      { classHash: accountClass.classHash, publicKey: fresh.publicKey, ...offer },
      BigInt(fixture.chain.chainId),
      fresh.privateKey,
    )
    const invoke = fresh.invoke([transferCall(BigInt(fixture.strk), sender.address, 1n)], { ...offer, nonce: 1n })
    expect(await refusal(invoke)).toMatchObject({ code: 55 })
    const answer = await fixture.call('starknet_addDeployAccountTransaction', { deploy_account_transaction: deployment.json })
    expect(answer).toEqual({ transaction_hash: hex(deployment.hash), contract_address: hex(fresh.address) })
    await add(invoke)
    fixture.chain.mine()
    expect([await status(deployment), await status(invoke)]).toEqual(['ACCEPTED_ON_L2 SUCCEEDED', 'ACCEPTED_ON_L2 SUCCEEDED'])
    expect(await fixture.failure('starknet_addDeployAccountTransaction', { deploy_account_transaction: deployment.json })).toMatchObject({
      code: 52,
    })
  })
})
