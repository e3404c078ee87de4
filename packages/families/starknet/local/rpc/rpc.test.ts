// These tests check the answer of every JSON-RPC method to valid and invalid requests.
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { describe, expect, it } from 'vitest'
import { selectorOf } from '../felt.ts'
import { transferCall } from '../local-contracts.ts'
import { openStarknetFixture } from '../starknet.fixture.ts'

const MISSING = '0x123456'
const TRANSFER = `0x${selectorOf('Transfer').toString(16)}`

const fixture = opened(openStarknetFixture)

const ask = (body: unknown) => fixture.post(JSON.stringify(body)).then(JSON.parse)
const transfers = (filter: object) =>
  fixture.call('starknet_getEvents', { filter: { address: fixture.wbtc, keys: [[TRANSFER]], chunk_size: 100, ...filter } }) as Promise<{
    events: { data: string[]; block_number: number; transaction_hash: string; event_index?: number }[]
    continuation_token?: string
  }>

/** One transaction pays 1, 2, 3 … to account 2. */
function payments(...amounts: readonly bigint[]): void {
  const [{ sender }, { sender: to }] = fixture.accounts
  sender.execute(amounts.map((amount) => transferCall(BigInt(fixture.wbtc), to.address, amount)))
}

describe('requests', () => {
  it('may be several in a batch, with parameters by name or by position', async () => {
    const height = await fixture.call('starknet_blockNumber')
    const batch = [
      { jsonrpc: '2.0', id: 'a', method: 'starknet_blockNumber' },
      { jsonrpc: '2.0', id: 2, method: 'starknet_getBlockTransactionCount', params: ['latest'] },
      { jsonrpc: '2.0', id: 3, method: 'starknet_getBlockTransactionCount', params: { block_id: { block_number: 999 } } },
      { jsonrpc: '2.0', id: 4, method: 'starknet_nothing' },
      5,
    ]
    expect(await ask(batch)).toMatchObject([
      { id: 'a', result: height },
      { id: 2, result: 1 },
      { id: 3, error: { code: 24 } },
      { id: 4, error: { code: -32_601 } },
      { id: null, error: { code: -32_600 } },
    ])
    expect(JSON.parse(await fixture.post('{'))).toMatchObject({ error: { code: -32_700 } })
    expect(await ask([])).toMatchObject({ error: { code: -32_600 } })
  })

  it.each([
    ['starknet_getBlockWithTxHashes', {}, -32_602],
    ['starknet_getBlockWithTxHashes', { block_id: 'pending' }, -32_602],
    ['starknet_getBlockWithTxHashes', { block_id: { block_number: -1 } }, -32_602],
    ['starknet_getBlockWithTxHashes', { block_id: 'latest', more: 1 }, -32_602],
    ['starknet_getBlockWithTxs', { block_id: { block_number: 10_000 } }, 24],
    ['starknet_getBlockWithReceipts', { block_id: { block_hash: MISSING } }, 24],
    ['starknet_getTransactionByBlockIdAndIndex', { block_id: 'latest', index: 7 }, 27],
    ['starknet_getTransactionByBlockIdAndIndex', { block_id: 'latest', index: '0' }, -32_602],
    ['starknet_getTransactionByHash', { transaction_hash: MISSING }, 29],
    ['starknet_getTransactionReceipt', { transaction_hash: MISSING }, 29],
    ['starknet_getTransactionStatus', { transaction_hash: MISSING }, 29],
    ['starknet_getTransactionStatus', { transaction_hash: 'x' }, -32_602],
    ['starknet_getNonce', { block_id: 'latest', contract_address: MISSING }, 20],
    ['starknet_getNonce', { block_id: { block_number: 99_999 }, contract_address: MISSING }, 24],
    ['starknet_getClassHashAt', { block_id: 'latest', contract_address: MISSING }, 20],
    ['starknet_getClassAt', { block_id: 'latest', contract_address: MISSING }, 20],
    ['starknet_getClass', { block_id: 'latest', class_hash: MISSING }, 28],
    ['starknet_call', { block_id: 'latest', request: { contract_address: MISSING, entry_point_selector: '0x1', calldata: [] } }, 20],
    ['starknet_call', { block_id: 'latest', request: { contract_address: MISSING, entry_point_selector: '0x1' } }, -32_602],
    ['starknet_call', { block_id: 'latest' }, -32_602],
    ['starknet_getEvents', {}, -32_602],
    ['starknet_getEvents', { filter: {} }, -32_602],
    ['starknet_getEvents', { filter: { chunk_size: 0 } }, -32_602],
    ['starknet_getEvents', { filter: { chunk_size: 5_000 } }, 31],
    ['starknet_getEvents', { filter: { chunk_size: 5, continuation_token: 'x' } }, 33],
    ['starknet_getEvents', { filter: { chunk_size: 5, keys: Array(17).fill([]) } }, 34],
    ['starknet_getEvents', { filter: { chunk_size: 5, from_block: { block_hash: MISSING } } }, 24],
    ['starknet_getEvents', { filter: { chunk_size: 5, from_block: { block_number: 99_999 } } }, 24],
    ['starknet_estimateFee', { request: {}, simulation_flags: [], block_id: 'latest' }, -32_602],
    ['starknet_estimateFee', { request: [{}], simulation_flags: [], block_id: 'latest' }, -32_602],
    ['starknet_estimateFee', { request: [], simulation_flags: ['SKIP_FEE_CHARGE'], block_id: 'latest' }, -32_602],
    ['starknet_simulateTransactions', { transactions: [{ type: 'INVOKE' }], block_id: 'latest' }, -32_602],
    ['starknet_addInvokeTransaction', { invoke_transaction: { type: 'INVOKE', version: '0x1' } }, 61],
    ['starknet_addDeclareTransaction', {}, -32_602],
    ['starknet_addDeployAccountTransaction', { deploy_account_transaction: null }, -32_602],
  ] as const)('%s %j fails with %i', async (method, params, code) => {
    expect(await fixture.failure(method, params)).toMatchObject({ code })
  })

  it('are told why a contract failed', async () => {
    const call = (entry: string, calldata: readonly string[]) => ({
      request: { contract_address: fixture.wbtc, entry_point_selector: `0x${selectorOf(entry).toString(16)}`, calldata },
      block_id: 'latest',
    })
    expect(await fixture.failure('starknet_call', call('no_such_function', []))).toMatchObject({ code: 21 })
    const failed = await fixture.failure('starknet_call', call('transfer', ['0x5', '0x1', '0x0']))
    expect(failed).toMatchObject({ code: 40, data: { revert_error: { contract_address: fixture.wbtc } } })
    expect(JSON.stringify(failed.data)).toContain('ERC20: transfer from 0')
    expect(JSON.stringify(await fixture.failure('starknet_call', call('balance_of', [])))).toContain('Failed to deserialize param #1')
    expect(JSON.stringify(await fixture.failure('starknet_call', call('balance_of', ['0x1', '0x2'])))).toContain('Input too long')
  })
})

describe('blocks', () => {
  it('have the same content by number, hash and tag, and grow old', async () => {
    payments(1n)
    const byTag = (await fixture.call('starknet_getBlockWithReceipts', { block_id: 'latest' })) as Record<string, never>
    const { block_hash: hash, block_number: number, status } = byTag
    expect(status).toBe('ACCEPTED_ON_L2')
    expect(await fixture.call('starknet_getBlockWithReceipts', { block_id: { block_hash: hash } })).toEqual(byTag)
    expect(await fixture.call('starknet_getBlockWithReceipts', { block_id: { block_number: number } })).toEqual(byTag)
    fixture.chain.mine(20)
    expect(await fixture.call('starknet_getBlockWithReceipts', { block_id: { block_hash: hash } })).toMatchObject({
      status: 'ACCEPTED_ON_L1',
    })
    const last = (await fixture.call('starknet_getBlockWithTxHashes', { block_id: 'l1_accepted' })) as Record<string, number>
    expect(last.block_number).toBe(Number(await fixture.call('starknet_blockNumber')) - 18)
  })

  it('keep the state that followed them', async () => {
    const [, { address }] = fixture.accounts
    const before = Number(await fixture.call('starknet_blockNumber'))
    const balanceAt = async (block: unknown) => {
      const request = {
        contract_address: fixture.wbtc,
        entry_point_selector: `0x${selectorOf('balanceOf').toString(16)}`,
        calldata: [address],
      }
      const [low] = (await fixture.call('starknet_call', { request, block_id: block })) as string[]
      return BigInt(low ?? 0)
    }
    const held = await balanceAt('latest')
    payments(5n)
    fixture.chain.mine(2)
    payments(6n)
    expect(await balanceAt('latest')).toBe(held + 11n)
    expect(await balanceAt({ block_number: before + 2 })).toBe(held + 5n)
    expect(await balanceAt({ block_number: before })).toBe(held)
  })
})

describe('events', () => {
  it('come in pages, in the order of the chain, each once', async () => {
    const from = Number(await fixture.call('starknet_blockNumber')) + 1
    payments(1n, 2n, 3n, 4n, 5n)
    fixture.chain.mine()
    payments(6n)
    const range = { from_block: { block_number: from }, to_block: 'latest', keys: [[TRANSFER], [fixture.accounts[0].address]] }
    const seen: string[] = []
    let token: string | undefined
    let pages = 0
    do {
      const page = await transfers({ ...range, chunk_size: 2, ...(token !== undefined && { continuation_token: token }) })
      seen.push(...page.events.map(({ data }) => data[0] ?? ''))
      token = page.continuation_token
      pages += 1
    } while (token !== undefined)
    expect([seen, pages]).toEqual([['0x1', '0x2', '0x3', '0x4', '0x5', '0x6'], 3])
  })

  it('can be of one block by its hash, and a range may end after the newest block', async () => {
    payments(8n)
    const { block_hash: hash, block_number: number } = (await fixture.call('starknet_blockHashAndNumber')) as Record<string, never>
    fixture.chain.mine()
    const ofBlock = await transfers({ from_block: { block_hash: hash }, to_block: { block_hash: hash } })
    expect(ofBlock.events).toMatchObject([{ block_number: number, data: ['0x8', '0x0'], event_index: 0 }])
    expect(await transfers({ from_block: { block_number: number }, to_block: { block_number: 99_999 } })).toEqual(ofBlock)
    expect((await transfers({ from_block: 'latest', to_block: { block_hash: hash } })).events).toEqual([])
  })

  it('have no indices in version 0.9 of the specification', async () => {
    const old = await openStarknetFixture({ specVersion: '0.9.0' })
    expect(await old.call('starknet_specVersion')).toBe('0.9.0')
    const { events } = (await old.call('starknet_getEvents', { filter: { address: old.wbtc, chunk_size: 1 } })) as { events: object[] }
    expect(events[0]).not.toHaveProperty('event_index')
    await old.close()
  })
})
