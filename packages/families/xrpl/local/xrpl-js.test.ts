// Tests unmodified xrpl.js against the simulator, as wallets use it.
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Client,
  type EscrowCancel,
  type EscrowCreate,
  type EscrowFinish,
  hashes,
  type LedgerEntry,
  type LedgerStream,
  rippleTimeToUnixTime,
  Wallet,
} from 'xrpl'
import { walletOfKey } from './account-keys.ts'
import { openXrplClient } from './open-client.ts'
import { openXrplFixture, type XrplFixture } from './xrpl.fixture.ts'

let fixture: XrplFixture
let client: Client
let [user, solver] = [Wallet.generate(), Wallet.generate()]
beforeAll(async () => {
  fixture = await openXrplFixture({ mining: 'instant' })
  user = walletOfKey(fixture.accounts[0].privateKey)
  solver = walletOfKey(fixture.accounts[1].privateKey)
  client = await openXrplClient(fixture.url)
})
afterAll(async () => {
  await client.disconnect()
  await fixture.close()
})

function newCondition() {
  const secret = randomBytes(32)
  const hash = createHash('sha256').update(secret).digest('hex')
  return { Condition: `A0258020${hash}810120`.toUpperCase(), Fulfillment: `A0228020${secret.toString('hex')}`.toUpperCase() }
}

describe('xrpl.js', () => {
  it('makes and finishes an escrow, and finds both with the balances in the history of the recipient', async () => {
    const { Condition, Fulfillment } = newCondition()
    const { closeTime } = fixture.chain.node.history.tip()
    const before = await client.getXrpBalance(solver.address)
    const create: EscrowCreate = {
      TransactionType: 'EscrowCreate',
      Account: user.address,
      Destination: solver.getXAddress(7, true),
      Amount: '25000000',
      Condition,
      CancelAfter: closeTime + 600,
    }
    const created = await client.submitAndWait(create, { wallet: user })
    expect(created.result.meta).toMatchObject({ TransactionResult: 'tesSUCCESS' })
    const { Sequence = 0 } = created.result.tx_json
    const { result: objects } = await client.request({ command: 'account_objects', account: solver.address, type: 'escrow' })
    expect(objects.account_objects).toMatchObject([{ Account: user.address, DestinationTag: 7, Amount: '25000000' }])
    expect(objects.account_objects[0]?.index).toBe(hashes.hashEscrow(user.address, Sequence))
    const finish: EscrowFinish = {
      TransactionType: 'EscrowFinish',
      Account: solver.address,
      Owner: user.address,
      OfferSequence: Sequence,
      Condition,
      Fulfillment,
    }
    const finished = await client.submitAndWait(finish, { wallet: solver })
    expect(finished.result.meta).toMatchObject({ TransactionResult: 'tesSUCCESS' })
    const fee = Number(finished.result.tx_json.Fee)
    expect(fee).toBeGreaterThanOrEqual(350)
    expect(await client.getXrpBalance(solver.address)).toBeCloseTo(before + 25 - fee / 1e6, 6)
    const { result } = await client.request({ command: 'account_tx', account: solver.address, forward: true })
    expect(result.transactions.slice(-2).map(({ hash, tx_json }) => [hash, tx_json?.TransactionType])).toEqual([
      [created.result.hash, 'EscrowCreate'],
      [finished.result.hash, 'EscrowFinish'],
    ])
  })
})

it('spends tickets, and shows a failed transaction with its code', async () => {
  const { address } = user
  const { hash } = (await client.submit({ TransactionType: 'TicketCreate', Account: address, TicketCount: 1 }, { wallet: user })).result
    .tx_json
  expect((await client.request({ command: 'tx', transaction: String(hash) })).result.validated).toBe(true)
  const { result } = await client.request({ command: 'account_objects', account: address, type: 'ticket' })
  const [ticket] = result.account_objects as LedgerEntry.Ticket[]
  const cancel: EscrowCancel = {
    TransactionType: 'EscrowCancel',
    Account: address,
    Owner: address,
    OfferSequence: 1,
    Sequence: 0,
    TicketSequence: ticket?.TicketSequence ?? 0,
  }
  const submitted = await client.submit(cancel, { wallet: user })
  expect(submitted.result).toMatchObject({ engine_result: 'tecNO_TARGET', engine_result_code: 138, applied: true })
  expect((await client.request({ command: 'account_objects', account: address, type: 'ticket' })).result.account_objects).toEqual([])
  expect(await client.getBalances(address)).toEqual([{ currency: 'XRP', value: String(await client.getXrpBalance(address)) }])
})

it('hashes ledgers as nodes do', async () => {
  const { result } = await client.request({ command: 'ledger', ledger_index: 22, transactions: true, expand: true })
  expect(hashes.hashLedgerHeader(result.ledger)).toBe(result.ledger_hash)
})

it('hears of ledgers', async () => {
  const heard = new Promise<LedgerStream>((resolve) => client.once('ledgerClosed', resolve))
  await client.request({ command: 'subscribe', streams: ['ledger'] })
  fixture.chain.mine()
  const { ledger_index, ledger_hash, ledger_time } = await heard
  expect(fixture.chain.node.history.at(ledger_index)?.hash).toBe(ledger_hash)
  expect(rippleTimeToUnixTime(ledger_time)).toBeGreaterThan(Date.now() - 60_000)
})
