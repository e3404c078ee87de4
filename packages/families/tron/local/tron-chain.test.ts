// Tests the Tron simulator through unmodified TronWeb: what a node accepts, refuses, charges and shows.

import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import type { TronWeb, Types } from 'tronweb'
import { encodeFunctionData, keccak256 } from 'viem'
import { generatePrivateKey, sign } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { toEvmAddress } from '../terms/address.ts'
import { startTronChain } from './tron-chain.ts'
import { createTronSender, type TronSender } from './tron-sender.ts'
import { openTronWeb } from './tron-web.ts'

type Signed = Types.SignedTransaction

const chain = opened(() => startTronChain({ chainId: 31_339, keys: [key], mining: { kind: 'manual' } }))
let sender: TronSender
let tronWeb: TronWeb
let token: string
const key = generatePrivateKey()
beforeAll(async () => {
  sender = createTronSender(chain, key)
  tronWeb = openTronWeb(chain.url, key.slice(2))
  token = await sender.deploy(testToken, ['Test', 'TEST', 6])
})

const mint = (to: string, amount: bigint) =>
  encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [toEvmAddress(to), amount] }).slice(2)

async function build(feeLimit = 100_000_000, data = mint(sender.address, 5n)): Promise<Types.Transaction> {
  return (await tronWeb.transactionBuilder.triggerSmartContract(token, '', { input: data, feeLimit }, [], sender.address)).transaction
}

const signed = async (transaction?: Types.Transaction) => (await tronWeb.trx.sign(transaction ?? (await build()))) as Signed
const codeOf = async (transaction: unknown) => (await tronWeb.trx.sendRawTransaction(transaction as Signed)).code
const infoOf = (id: string) => tronWeb.trx.getUnconfirmedTransactionInfo(id)

async function rpc(method: string, ...params: readonly unknown[]) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = (await (await fetch(`${chain.url}/jsonrpc`, { method: 'POST', body })).json()) as {
    result?: Record<string, string> & string
    error?: { code: number; message: string }
  }
  return answer
}

describe('a transaction', () => {
  it('is refused if it was changed after signing, is signed by another account, or is repeated', async () => {
    const good = await signed()
    expect(await codeOf({ ...good, raw_data: { ...good.raw_data, fee_limit: 5 } })).toBe('OTHER_ERROR')
    expect(await codeOf({ ...good, txID: '00'.repeat(32) })).toBe('OTHER_ERROR')
    const forged = await sign({ hash: `0x${good.txID}`, privateKey: generatePrivateKey(), to: 'hex' })
    expect(await codeOf({ ...good, signature: [forged.slice(2)] })).toBe('SIGERROR')
    expect(await codeOf({ ...good, signature: [] })).toBe('SIGERROR')
    expect(await codeOf(good)).toBe('SUCCESS')
    expect(await codeOf(good)).toBe('DUP_TRANSACTION_ERROR')
    await chain.mine()
    expect(await codeOf(good)).toBe('DUP_TRANSACTION_ERROR')
    expect((await infoOf(good.txID)).receipt.result).toBe('SUCCESS')
  })

  it('is refused with a reference block of another chain, and after its expiration', async () => {
    const elsewhere = await build()
    elsewhere.raw_data.ref_block_hash = 'ab'.repeat(8)
    expect(await codeOf(await signed(renewed(elsewhere)))).toBe('TAPOS_ERROR')
    const late = await signed()
    // The transaction expires after 60 seconds, and the next slot is up to 3 seconds away.
    await chain.passSeconds(58)
    expect(await codeOf(late)).toBe('TRANSACTION_EXPIRATION_ERROR')
    // The node remembers refused transactions like accepted ones.
    expect(await codeOf(late)).toBe('DUP_TRANSACTION_ERROR')
  })

  it('costs energy up to its limit, and all of that limit when it is too low', async () => {
    const balance = async () => BigInt(await tronWeb.trx.getUnconfirmedBalance(sender.address))
    const [rich, poor] = [await signed(), await signed(await build(1_000_000))]
    for (const transaction of [rich, poor]) {
      const before = await balance()
      await codeOf(transaction)
      await chain.mine()
      const { fee, receipt } = await infoOf(transaction.txID)
      expect(before - (await balance())).toBe(BigInt(fee))
      expect(receipt.result).toBe(transaction === rich ? 'SUCCESS' : 'OUT_OF_ENERGY')
      if (transaction === poor) expect(receipt.energy_fee).toBe(1_000_000)
    }
    const beggar = openTronWeb(chain.url, generatePrivateKey().slice(2))
    const { transaction } = await beggar.transactionBuilder.triggerSmartContract(
      token,
      '',
      { input: mint(token, 1n) },
      [],
      beggar.defaultAddress.base58 || '',
    )
    expect(await codeOf(await beggar.trx.sign(transaction))).toBe('BANDWITH_ERROR')
  })

  it('that reverts is mined with the reason', async () => {
    const data = encodeFunctionData({ abi: testToken.abi, functionName: 'transfer', args: [toEvmAddress(token), 10n ** 30n] }).slice(2)
    const reverting = await signed(await build(100_000_000, data))
    await codeOf(reverting)
    await chain.mine()
    const info = await infoOf(reverting.txID)
    expect(info.receipt.result).toBe('REVERT')
    // The revert data begin with the selector of ERC20InsufficientBalance.
    expect(info.contractResult[0]).toMatch(/^e450d38c/)
  })
})

describe('the chain', () => {
  it('puts contracts where Tron does, and runs their constructors there', async () => {
    const options = { abi: [], bytecode: testToken.bytecode.slice(2) + '00'.repeat(32 * 5), feeLimit: 1_000_000_000, name: 'T' }
    const transaction = await tronWeb.transactionBuilder.createSmartContract(options, sender.address)
    const owner = `41${toEvmAddress(sender.address).slice(2)}`
    expect(transaction.contract_address).toBe(`41${keccak256(`0x${transaction.txID}${owner}`).slice(-40)}`)
    const read = await tronWeb.transactionBuilder.triggerConstantContract(token, 'decimals()', {}, [], sender.address)
    expect(Number(`0x${read.constant_result[0]}`)).toBe(6)
  })

  it('has block ids with the height and a chain id from the first block, the same in both interfaces', async () => {
    const block = await tronWeb.trx.getCurrentBlock()
    const { number, parentHash } = block.block_header.raw_data
    expect(Number.parseInt(block.blockID.slice(0, 16), 16)).toBe(number)
    expect((await rpc('eth_getBlockByNumber', 'latest', false)).result).toMatchObject({
      hash: `0x${block.blockID}`,
      parentHash: `0x${parentHash}`,
    })
    const first = (await rpc('eth_getBlockByNumber', '0x0', false)).result
    expect(first?.hash?.slice(-8)).toBe((31_339).toString(16).padStart(8, '0'))
    expect((await rpc('eth_chainId')).result).toBe('0x7a6b')
    await chain.mine(20)
    const solid = (await rpc('eth_getBlockByNumber', 'finalized', false)).result
    expect(Number(solid?.number)).toBe(number + 2)
  })

  it('serves only the newest state over JSON-RPC, and accepts no transactions there, as a Tron node', async () => {
    expect((await rpc('eth_sendRawTransaction', '0x00')).error?.code).toBe(-32_601)
    expect((await rpc('eth_getTransactionCount', toEvmAddress(token), 'latest')).error?.code).toBe(-32_601)
    expect((await rpc('eth_call', { to: toEvmAddress(token), data: '0x313ce567' }, '0x1')).error?.message).toMatch(
      /just support TAG as latest/,
    )
    expect((await rpc('eth_getLogs', { blockHash: `0x${'12'.repeat(32)}` })).error?.message).toBe('invalid blockHash')
  })

  it('reverts transactions and creations in a reorg, and mines them again or drops them', async () => {
    const made = await sender.deploy(testToken, ['Test', 'TEST', 6])
    const data = mint(sender.address, 7n)
    const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
      made,
      '',
      { input: data, feeLimit: 100_000_000 },
      [],
      sender.address,
    )
    const after = await signed(transaction)
    await codeOf(after)
    await chain.mine()
    await chain.faults.reorg(2, { blocks: 3 })
    expect(await infoOf(after.txID)).toEqual({})
    expect((await rpc('eth_getCode', toEvmAddress(made), 'latest')).result).toBe('0x')
    await chain.mine()
    // The transaction refers to the block in which the contract was made, which a reorg replaced.
    expect(await infoOf(after.txID)).toEqual({})
    expect((await rpc('eth_getCode', toEvmAddress(made), 'latest')).result).not.toBe('0x')
    await chain.faults.reorg(1, { transactions: 'drop', blocks: 2 })
    await chain.mine()
    expect((await rpc('eth_getCode', toEvmAddress(made), 'latest')).result).toBe('0x')
    await expect(chain.faults.reorg(19)).rejects.toThrow('solid')
  })
})

function renewed(transaction: Types.Transaction): Types.Transaction {
  const message = tronWeb.utils.transaction.txJsonToPb(transaction)
  const txID = tronWeb.utils.transaction.txPbToTxID(message).replace(/^0x/, '')
  return { ...transaction, txID, raw_data_hex: tronWeb.utils.transaction.txPbToRawDataHex(message).toLowerCase() }
}
