// These tests read slots and blocks over JSON-RPC: which exist at which commitment, and the error for those that do not.
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { describe, expect, it } from 'vitest'
import { base64, newSigner, openSolanaFixture, SOL } from '../solana.fixture.ts'

const fixture = openedForEach(() => openSolanaFixture())

const at = (commitment: string) => ({ commitment })
const slotAt = async (commitment: string) => Number(await fixture.call('getSlot', at(commitment)))
const bare = { commitment: 'confirmed', transactionDetails: 'none', rewards: false }

describe('slots', () => {
  it('differ by commitment: one block to be confirmed, 31 to be finalized', async () => {
    const [processed, confirmed, finalized] = [await slotAt('processed'), await slotAt('confirmed'), await slotAt('finalized')]
    expect([processed - confirmed, processed - finalized]).toEqual([1, 31])
    expect(await fixture.call('getSlot')).toBe(finalized)
    expect(await fixture.call('getBlockHeight', at('processed'))).toBe(40)
    expect(await fixture.call('getBlockHeight', at('finalized'))).toBe(9)
  })

  it('are counted with skipped ones, block heights without', async () => {
    const [slot, height] = [await slotAt('processed'), Number(await fixture.call('getBlockHeight', at('processed')))]
    fixture.chain.skip(3)
    fixture.chain.mine()
    expect(await slotAt('processed')).toBe(slot + 4)
    expect(await fixture.call('getBlockHeight', at('processed'))).toBe(height + 1)
  })

  it('must have reached `minContextSlot`', async () => {
    const slot = await slotAt('confirmed')
    expect(await fixture.call('getSlot', { commitment: 'confirmed', minContextSlot: slot })).toBe(slot)
    expect(await fixture.failure('getSlot', { commitment: 'confirmed', minContextSlot: slot + 1 })).toMatchObject({
      code: -32_016,
      data: { contextSlot: slot },
    })
  })
})

describe('getBlock', () => {
  it('links to its parent over a skipped slot, and names the skipped one as such', async () => {
    const parent = await slotAt('processed')
    fixture.chain.skip()
    fixture.chain.mine(2)
    const block = (await fixture.call('getBlock', parent + 2, bare)) as Record<string, unknown>
    const before = (await fixture.call('getBlock', parent, bare)) as Record<string, unknown>
    expect(block).toMatchObject({ parentSlot: parent, previousBlockhash: before.blockhash, blockHeight: 41 })
    expect(Object.keys(block).sort()).toEqual(['blockHeight', 'blockTime', 'blockhash', 'parentSlot', 'previousBlockhash'])
    expect(await fixture.failure('getBlock', parent + 1, bare)).toEqual({
      code: -32_007,
      message: `Slot ${parent + 1} was skipped, or missing due to ledger jump to recent snapshot`,
    })
    expect(await fixture.call('getBlockTime', parent + 2)).toBe(block.blockTime)
    expect((await fixture.failure('getBlockTime', parent + 1)).code).toBe(-32_007)
  })

  it('is not available before its commitment, after the tip, and before the first block', async () => {
    const [processed, finalized] = [await slotAt('processed'), await slotAt('finalized')]
    const first = Number(await fixture.call('getFirstAvailableBlock'))
    expect((await fixture.failure('getBlock', processed, bare)).code).toBe(-32_004)
    expect((await fixture.failure('getBlock', processed + 1_000, bare)).code).toBe(-32_004)
    expect((await fixture.failure('getBlock', finalized + 1, { transactionDetails: 'none' })).code).toBe(-32_004)
    expect(await fixture.call('getBlock', finalized, { transactionDetails: 'none' })).toMatchObject({ blockHeight: 9 })
    expect((await fixture.failure('getBlock', first - 1, bare)).code).toBe(-32_001)
    expect(await fixture.failure('getBlock', processed, { ...bare, commitment: 'processed' })).toEqual({
      code: -32_602,
      message: 'Method does not support commitment below `confirmed`',
    })
  })

  it('shows its transactions in the requested detail and encoding, of supported versions only', async () => {
    const wire = fixture.sign([fixture.transfer(newSigner().address, SOL)])
    const signature = await fixture.send(wire)
    fixture.chain.mine(2)
    const slot = await slotAt('confirmed')
    const block = (config: object) => fixture.call('getBlock', slot, { commitment: 'confirmed', ...config })
    expect(await block({ transactionDetails: 'signatures' })).toMatchObject({ signatures: [signature], rewards: [] })
    expect((await fixture.failure('getBlock', slot, at('confirmed'))).code).toBe(-32_015)
    const full = { maxSupportedTransactionVersion: 0 }
    expect(await block({ ...full, encoding: 'base64' })).toMatchObject({
      transactions: [{ transaction: [base64(wire), 'base64'], version: 0, meta: { err: null, fee: 5_000 } }],
    })
    expect(await block(full)).toMatchObject({ transactions: [{ transaction: { signatures: [signature] } }] })
    expect(await block({ ...full, transactionDetails: 'accounts' })).toMatchObject({
      transactions: [
        {
          transaction: { signatures: [signature], accountKeys: [{ pubkey: fixture.payer.address, signer: true, writable: true }, {}, {}] },
        },
      ],
    })
    expect((await fixture.failure('getBlock', slot, { ...bare, transactionDetails: 'most' })).code).toBe(-32_602)
    expect((await fixture.failure('getBlock', slot, { ...full, commitment: 'confirmed', encoding: 'morse' })).code).toBe(-32_602)
  })
})

it('getBlocks and getBlocksWithLimit list slots with a block, up to the commitment', async () => {
  const slot = await slotAt('processed')
  fixture.chain.skip()
  fixture.chain.mine(3)
  expect(await fixture.call('getBlocks', slot, null, at('confirmed'))).toEqual([slot, slot + 2, slot + 3])
  expect(await fixture.call('getBlocks', slot, at('confirmed'))).toEqual([slot, slot + 2, slot + 3])
  expect(await fixture.call('getBlocks', slot, slot + 2, at('confirmed'))).toEqual([slot, slot + 2])
  expect(await fixture.call('getBlocks', slot)).toEqual([])
  expect(await fixture.call('getBlocksWithLimit', slot, 2, at('confirmed'))).toEqual([slot, slot + 2])
  expect((await fixture.failure('getBlocks', 0, 500_001)).code).toBe(-32_602)
  expect((await fixture.failure('getBlocksWithLimit', 0, 500_001)).code).toBe(-32_602)
})

it.each([
  ['getBlock', ['7']],
  ['getBlock', [-1]],
  ['getBlock', [1.5]],
  ['getBlock', []],
  ['getSlot', ['confirmed']],
  ['getSlot', [{ commitment: 'certain' }]],
  ['getBlockTime', [null]],
])('%s refuses %j', async (method, params) => {
  expect((await fixture.failure(method, ...params)).code).toBe(-32_602)
})
