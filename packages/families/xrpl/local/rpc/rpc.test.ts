// Tests requests and their answers, in both versions of the interface.
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { decode, hashes, type Transaction, type TransactionMetadata } from 'xrpl'
import { localKey } from '../account-keys.ts'
import type { Fields } from '../ledger/metadata.ts'
import type { LocalSender } from '../local-sender.ts'
import { newKey, openXrplFixture, XRP } from '../xrpl.fixture.ts'

const fixture = opened(openXrplFixture)
let user: LocalSender
let other: string
let paid: readonly string[]
let first: number
beforeAll(async () => {
  user = fixture.accounts[0].sender
  other = fixture.accounts[1].address
  first = fixture.chain.node.history.tip().index + 1
  paid = Array.from({ length: 25 }, (_, index) => {
    if (index % 7 === 6) fixture.chain.mine()
    return user.send({ TransactionType: 'Payment', Destination: other, Amount: String(index + 1) }).transaction.hash
  })
  fixture.chain.mine()
})

const tip = () => fixture.chain.node.history.tip().index
const list = (value: unknown) => value as readonly Fields[]

function history(params: Fields): { readonly hashes: readonly unknown[]; readonly marker: unknown } {
  const { transactions, marker } = fixture.call('account_tx', { account: other, ledger_index_min: first, limit: 10, ...params })
  return { hashes: list(transactions).map(({ hash }) => hash), marker }
}

describe('account_tx', () => {
  it.each([true, false])('returns every transaction once over its pages, forward: %s', (forward) => {
    const found: unknown[] = []
    let marker: unknown
    do {
      const page = history({ forward, ...(marker !== undefined && { marker }) })
      expect(page.hashes.length).toBeLessThanOrEqual(10)
      found.push(...page.hashes)
      marker = page.marker
    } while (marker !== undefined)
    expect(found).toEqual(forward ? paid : paid.toReversed())
  })

  it('says which ledgers it searched, and refuses those that the node does not have', () => {
    const range = (params: Fields) => {
      const { ledger_index_min: min, ledger_index_max: max } = fixture.call('account_tx', { account: other, ...params })
      return [min, max]
    }
    const error = (params: Fields) => fixture.failure('account_tx', { account: other, ...params }).error
    expect(range({})).toEqual([1, tip()])
    expect(range({ ledger_index_min: first, ledger_index_max: first + 1 })).toEqual([first, first + 1])
    expect(error({ ledger_index_max: tip() + 1 })).toBe('lgrIdxMalformed')
    expect(error({ ledger_index_min: 3, ledger_index_max: 2 })).toBe('invalidLgrRange')
    expect(range({ ledger_index_max: tip() + 1, api_version: 1 })).toEqual([1, tip()])
    fixture.chain.faults.hideLedgers(first, first + 1)
    expect(fixture.call('server_state').state).toMatchObject({ complete_ledgers: `1-${first - 1},${first + 2}-${tip()}` })
    expect(range({})).toEqual([first + 2, tip()])
    expect(error({ ledger_index_min: first + 1 })).toBe('lgrIdxMalformed')
    expect(fixture.failure('ledger', { ledger_index: first })).toMatchObject({ error: 'lgrNotFound', error_code: 21 })
    const searched = { transaction: paid[0], min_ledger: first, max_ledger: tip() }
    expect(fixture.failure('tx', searched)).toMatchObject({ error: 'txnNotFound', searched_all: false })
    fixture.chain.faults.showLedgers()
    expect(fixture.call('tx', searched)).toMatchObject({ hash: paid[0], ledger_index: first, validated: true })
  })

  it('is of accounts only', () => {
    expect(fixture.failure('account_tx', { account: 'alice' }).error).toBe('actMalformed')
    expect(fixture.failure('account_tx', { account: other, marker: 'x' }).error).toBe('invalidParams')
    expect(fixture.failure('account_tx', { account: other, limit: 'x' }).error).toBe('invalidParams')
  })
})

describe('a transaction', () => {
  it('has the forms of both versions', () => {
    const amount = { Account: user.address, Destination: other, DeliverMax: '1' }
    const place = { hash: paid[0], ledger_index: first, validated: true }
    const meta = { TransactionResult: 'tesSUCCESS', delivered_amount: '1' }
    const two = fixture.call('tx', { transaction: paid[0] })
    expect(two).toMatchObject({ ...place, tx_json: amount, meta, ledger_hash: fixture.chain.node.history.at(first)?.hash })
    expect(two.tx_json).not.toHaveProperty('Amount')
    const one = fixture.call('tx', { transaction: paid[0], api_version: 1 })
    expect(one).toMatchObject({ ...place, ...amount, Amount: '1', meta, inLedger: first })
    const [listed] = list(
      fixture.call('account_tx', { account: other, ledger_index_min: first, forward: true, api_version: 1 }).transactions,
    )
    expect(listed).toMatchObject({ tx: { ...amount, hash: paid[0], ledger_index: first }, meta, validated: true })
  })

  it('is not validated while it waits, and unknown after it was dropped', () => {
    const { transaction } = user.send({ TransactionType: 'Payment', Destination: other, Amount: '1' })
    const { hash } = transaction
    expect(fixture.call('tx', { transaction: hash })).toMatchObject({ hash, validated: false })
    fixture.chain.faults.evict(hash)
    const searched = (max: number) => fixture.failure('tx', { transaction: hash, min_ledger: 1, max_ledger: max }).searched_all
    expect([searched(tip()), searched(tip() + 1)]).toEqual([true, false])
  })

  it('is taken if it is well formed, and says what will become of it', () => {
    const transaction = user.sign({ TransactionType: 'AccountSet', Account: user.address, Fee: '10', Sequence: 1 })
    expect(fixture.call('submit', { tx_blob: transaction.blob })).toMatchObject({
      engine_result: 'tefPAST_SEQ',
      engine_result_code: -190,
      applied: false,
      broadcast: false,
      kept: false,
      queued: false,
      tx_json: { hash: transaction.hash },
      validated_ledger_index: tip(),
    })
    const broken = transaction.blob.replace('2400000001', '2400000002')
    expect(fixture.failure('submit', { tx_blob: broken })).toEqual({
      error: 'invalidTransaction',
      error_exception: 'fails local checks: Invalid signature.',
    })
    expect(fixture.failure('submit', { tx_blob: '12' }).error).toBe('invalidTransaction')
    expect(fixture.failure('submit', { tx_json: {} }).error).toBe('invalidParams')
  })
})

describe('a ledger', () => {
  it('commits to its header and its transactions', () => {
    const params = { ledger_index: first, transactions: true, expand: true, binary: true }
    const { ledger, ledger_hash } = fixture.call('ledger', params) as { ledger: Fields; ledger_hash: string }
    const items = list(ledger.transactions).map(({ tx_blob, meta_blob }) => ({
      ...(decode(String(tx_blob)) as unknown as Transaction),
      metaData: decode(String(meta_blob)) as unknown as TransactionMetadata,
    }))
    expect(items).toHaveLength(6)
    expect(hashes.hashTxTree(items)).toBe(ledger.transaction_hash)
    expect(hashes.hashLedgerHeader(ledger as never)).toBe(ledger_hash)
    expect(fixture.call('ledger', { ledger_hash })).toMatchObject({ ledger_index: first, validated: true })
    expect(fixture.call('ledger', { ledger_index: first + 1 })).toMatchObject({ ledger: { parent_hash: ledger_hash } })
    expect(fixture.call('ledger', { api_version: 1, ledger_index: 'validated' })).toMatchObject({ ledger: { ledger_index: String(tip()) } })
    expect(fixture.failure('ledger', { ledger_index: tip() + 1 }).error).toBe('lgrNotFound')
  })

  it('knows the state after it', () => {
    const balanceAt = (index: number) =>
      BigInt((fixture.call('account_info', { account: other, ledger_index: index }).account_data as { Balance: string }).Balance)
    expect(balanceAt(first - 1)).toBe(10_000n * XRP)
    expect(balanceAt(first)).toBe(10_000n * XRP + 21n)
    expect(balanceAt(tip())).toBe(10_000n * XRP + 325n)
    expect(fixture.failure('account_info', { account: other, ledger_index: 1 })).toMatchObject({ error: 'actNotFound', validated: true })
    const account = localKey(newKey()).address
    expect(fixture.failure('account_info', { account })).toMatchObject({ error: 'actNotFound', error_code: 19, account })
  })

  it('has entries, by key and by name', () => {
    const { transaction } = user.send({
      TransactionType: 'EscrowCreate',
      Destination: other,
      Amount: '5',
      FinishAfter: fixture.chain.node.now() + 600,
    })
    const escrow = { owner: user.address, seq: transaction.sequence }
    expect(fixture.failure('ledger_entry', { escrow, ledger_index: 'validated' }).error).toBe('entryNotFound')
    fixture.chain.mine()
    const index = hashes.hashEscrow(user.address, transaction.sequence)
    const found = { index, node: { LedgerEntryType: 'Escrow', Amount: '5', index }, ledger_index: tip() }
    expect(fixture.call('ledger_entry', { escrow, ledger_index: 'validated' })).toMatchObject(found)
    expect(fixture.call('ledger_entry', { index, ledger_index: tip() })).toMatchObject(found)
    expect(fixture.failure('ledger_entry', { escrow, ledger_index: tip() - 1 }).error).toBe('entryNotFound')
    for (const account of [user.address, other])
      expect(fixture.call('account_objects', { account, type: 'escrow' })).toMatchObject({ account_objects: [{ index }] })
  })
})

it('tells fees by the open ledger', () => {
  expect(fixture.call('fee')).toMatchObject({ drops: { base_fee: '10', open_ledger_fee: '10' }, ledger_current_index: tip() + 1 })
  fixture.chain.faults.congest(5_000n)
  expect(fixture.call('fee')).toMatchObject({
    drops: { minimum_fee: '10', open_ledger_fee: '5000' },
    levels: { open_ledger_level: '128000' },
  })
  expect(fixture.call('server_info').info).toMatchObject({
    load_factor: 500,
    network_id: 1_000,
    validated_ledger: { reserve_inc_xrp: 0.2 },
  })
  fixture.chain.faults.congest(null)
})

it('refuses what it does not know', () => {
  expect(fixture.failure('fly')).toMatchObject({ error: 'unknownCmd', error_code: 32 })
  expect(fixture.failure('ping', { api_version: 3 }).error).toBe('invalid_API_version')
  expect(fixture.failure('ledger', { ledger_index: 'newest' }).error).toBe('invalidParams')
})
