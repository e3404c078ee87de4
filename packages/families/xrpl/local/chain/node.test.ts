// Tests how the node takes transactions, closes ledgers and forks.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ECDSA, Wallet } from 'xrpl'
import { localKey, walletOfKey } from '../account-keys.ts'
import type { Fields } from '../ledger/metadata.ts'
import { accountOf } from '../ledger/view.ts'
import { createLocalSender, type LocalSender } from '../local-sender.ts'
import { FailsLocalChecks, readTransaction } from '../transactions/signed-transaction.ts'
import { newKey, openXrplFixture, XRP, type XrplFixture } from '../xrpl.fixture.ts'
import type { XrplChainOptions } from '../xrpl-chain.ts'
import type { XrplNode } from './node.ts'

let fixture: XrplFixture
let node: XrplNode
let user: LocalSender
let wallMs: number
beforeEach(() => open({ now: () => wallMs }))
afterEach(() => fixture.close())

async function open(options: Omit<XrplChainOptions, 'masterAccount'>): Promise<void> {
  wallMs = Date.UTC(2030, 0, 1)
  fixture = await openXrplFixture(options)
  node = fixture.chain.node
  user = fixture.accounts[0].sender
}

const payment = (fields: Fields = {}) => ({
  TransactionType: 'Payment',
  Destination: fixture.accounts[1].address,
  Amount: '1000000',
  ...fields,
})
const sequenceOf = (sender: LocalSender) => accountOf(node.open().view, sender.address)?.Sequence ?? 0
const isValidated = (hash: string) => node.history.transaction(hash) !== undefined

describe('sequences', () => {
  it('are used in their order: later ones wait for a gap, used ones are refused', () => {
    const next = sequenceOf(user)
    const later = user.send(payment({ Sequence: next + 1 }))
    expect(later).toMatchObject({ result: 'terPRE_SEQ', isApplied: false, isKept: true })
    node.mine()
    expect(isValidated(later.transaction.hash)).toBe(false)
    const first = user.send(payment({ Sequence: next }))
    node.mine()
    expect([first, later].map(({ transaction }) => isValidated(transaction.hash))).toEqual([true, true])
    expect(user.send(payment({ Sequence: next })).result).toBe('tefPAST_SEQ')
    expect(node.submit(first.transaction).result).toBe('tefPAST_SEQ')
  })

  it('are set aside by tickets, which are spent in any order and once', () => {
    expect(user.send({ TransactionType: 'TicketCreate', TicketCount: 2 }).result).toBe('tesSUCCESS')
    node.mine()
    const next = sequenceOf(user)
    const withTicket = (TicketSequence: number) => user.send(payment({ Sequence: 0, TicketSequence })).result
    expect([next - 1, next - 2, next - 1, next].map(withTicket)).toEqual(['tesSUCCESS', 'tesSUCCESS', 'tefNO_TICKET', 'terPRE_TICKET'])
    node.mine()
    expect(accountOf(node.history.state, user.address)).toMatchObject({ Sequence: next, OwnerCount: 0 })
    expect(accountOf(node.history.state, user.address)).not.toHaveProperty('TicketCount')
  })

  it('stay unused when the last ledger of a transaction has passed', () => {
    const expired = user.send(payment({ LastLedgerSequence: node.history.tip().index }))
    expect(expired.result).toBe('tefMAX_LEDGER')
    const waiting = user.send(payment({ Sequence: sequenceOf(user) + 1, LastLedgerSequence: node.history.tip().index + 1 }))
    node.mine(2)
    expect(user.send(payment()).result).toBe('tesSUCCESS')
    node.mine()
    expect(isValidated(waiting.transaction.hash)).toBe(false)
    expect(node.queue.all()).toEqual([])
  })
})

describe('signatures', () => {
  const filled = (wallet: Wallet, fields: Fields = {}) => ({
    ...payment(),
    Account: wallet.classicAddress,
    Fee: '10',
    Sequence: 1,
    ...fields,
  })

  it.each(['ed25519', 'ecdsa-secp256k1'] as ECDSA[])('of %s are checked', (algorithm) => {
    const wallet = Wallet.generate(algorithm)
    const { tx_blob: blob, hash } = wallet.sign(filled(wallet) as never)
    expect(readTransaction(blob)).toMatchObject({ hash, signer: wallet.classicAddress })
    // The blob has another amount.
    expect(() => readTransaction(blob.replace('6140000000000F4240', '6140000000000F4241'))).toThrow(/Invalid signature/)
    expect(() => readTransaction(`${blob}00`)).toThrow(FailsLocalChecks)
    const odd = wallet.sign(filled(wallet, { TransactionType: 'EscrowCancel', Owner: wallet.classicAddress, OfferSequence: 1 }) as never)
    expect(() => readTransaction(odd.tx_blob)).toThrow(/disallowed location/)
  })

  it("of a key that is not the account's are refused, those of its regular key are not", () => {
    const other = createLocalSender(node, newKey())
    const signed = () => other.send(payment({ Account: user.address, Sequence: sequenceOf(user) })).result
    expect(signed()).toBe('tefBAD_AUTH')
    expect(user.send({ TransactionType: 'SetRegularKey', RegularKey: other.address }).result).toBe('tesSUCCESS')
    expect(signed()).toBe('tesSUCCESS')
    expect(user.send({ TransactionType: 'AccountSet', SetFlag: 4 }).result).toBe('tesSUCCESS')
    expect(user.send(payment()).result).toBe('tefMASTER_DISABLED')
  })

  it('of several keys are refused', () => {
    const wallet = walletOfKey(fixture.accounts[0].privateKey)
    const { tx_blob: blob } = wallet.sign(filled(wallet, { Sequence: sequenceOf(user) }) as never, true)
    expect(node.submit(readTransaction(blob)).result).toBe('tefNOT_MULTI_SIGNING')
  })
})

describe('payments', () => {
  it("make an account if they pay its reserve, and leave the sender's", () => {
    const fresh = localKey(newKey()).address
    expect(user.send(payment({ Destination: fresh, Amount: '999999' })).result).toBe('tecNO_DST_INSUF_XRP')
    expect(user.send(payment({ Destination: fresh })).result).toBe('tesSUCCESS')
    expect(accountOf(node.open().view, fresh)).toMatchObject({ Balance: '1000000', Sequence: node.open().rules.ledgerIndex })
    const balance = BigInt(accountOf(node.open().view, user.address)?.Balance ?? 0)
    expect(user.send(payment({ Amount: String(balance - XRP + 1n) })).result).toBe('tecUNFUNDED_PAYMENT')
    expect(user.send(payment({ Flags: 0x00020000 })).result).toBe('temBAD_SEND_XRP_PARTIAL')
    expect(createLocalSender(node, newKey()).send(payment()).result).toBe('terNO_ACCOUNT')
  })
})

describe('the queue', () => {
  it('takes what pays too little for the open ledger, and replaces by more than a quarter more', () => {
    node.congest(5_000n)
    const sequence = sequenceOf(user)
    const send = (Fee: string, fields: Fields = {}) => user.send(payment({ Fee, Sequence: sequence, ...fields }))
    const first = send('100')
    expect(first).toMatchObject({ result: 'terQUEUED', isQueued: true, isApplied: false })
    expect(send('125', { Amount: '2' }).result).toBe('telCAN_NOT_QUEUE_FEE')
    const second = send('126', { Amount: '3' })
    expect(second.result).toBe('terQUEUED')
    expect(send('9', { Amount: '4' }).result).toBe('telINSUF_FEE_P')
    expect(send('200', { Amount: '5', LastLedgerSequence: node.open().rules.ledgerIndex + 1 }).result).toBe('telCAN_NOT_QUEUE')
    node.mine()
    expect(isValidated(second.transaction.hash)).toBe(false)
    node.congest(null)
    node.mine()
    expect([first, second].map(({ transaction }) => isValidated(transaction.hash))).toEqual([false, true])
  })

  it('holds ten transactions of an account, and keeps their order', () => {
    node.congest(5_000n)
    const sequence = sequenceOf(user)
    const results = Array.from({ length: 11 }, (_, index) => user.send(payment({ Fee: '20', Sequence: sequence + index })))
    expect(results.map(({ result }) => result)).toEqual([...Array.from({ length: 10 }, () => 'terQUEUED'), 'telCAN_NOT_QUEUE_FULL'])
    // A transaction that pays enough still waits for those before it.
    node.evict(results[9]?.transaction.hash ?? '')
    expect(user.send(payment({ Fee: '9000', Sequence: sequence + 9 })).result).toBe('terQUEUED')
    node.congest(null)
    node.mine()
    expect(node.history.tip().transactions.map(({ transaction }) => transaction.sequence)).toEqual(
      Array.from({ length: 10 }, (_, index) => sequence + index),
    )
  })
})

describe('ledgers', () => {
  it('close at times that are rounded to ten seconds, and later than their parent', () => {
    // The clock would give 4, 8, 12, …. The first time is two seconds after a multiple of ten, because of the ledgers before it.
    const times = Array.from({ length: 8 }, () => {
      wallMs += 4_000
      node.mine()
      return node.history.tip().closeTime % 100
    })
    const [first = 0] = times
    expect(times.map((time) => time - first)).toEqual([0, 8, 9, 18, 19, 20, 28, 29])
  })

  it('close every second, or immediately for a transaction, but do not run far ahead of the clock', () => {
    node.setMining('instant')
    const ahead = () => node.history.tip().closeTime - node.now()
    const before = node.history.tip().index
    for (let sent = 0; sent < 40; sent += 1) user.send(payment())
    expect(node.history.tip().index - before).toBe(40)
    for (let sent = 0; sent < 40; sent += 1) user.send(payment())
    expect(ahead()).toBeLessThanOrEqual(60)
    expect(node.open().transactions.length).toBeGreaterThan(0)
    wallMs += 1_000
    node.catchUp()
    expect(node.open().transactions).toEqual([])
    const { index } = node.history.tip()
    wallMs += 3_000
    node.catchUp()
    expect(node.history.tip().index).toBe(index)
    wallMs += 120_000
    node.catchUp()
    expect(node.history.tip().index - index).toBeGreaterThan(45)
    expect(Math.abs(ahead())).toBeLessThanOrEqual(6)
  })

  it('can be later by more than a given number of seconds', () => {
    const { closeTime } = node.history.tip()
    node.passTime(600)
    expect(node.history.tip().closeTime).toBeGreaterThan(closeTime + 600)
    expect(node.history.tip().closeTime).toBeLessThan(closeTime + 620)
  })
})

describe('a reorganisation', () => {
  it.each(['return', 'drop'] as const)('undoes what the ledgers did, and may %s their transactions', (transactions) => {
    const before = fixture.balance(user.address)
    const { transaction } = user.send(payment())
    node.mine(2)
    const [undone, parent] = [node.history.tip(), node.history.at(node.history.tip().index - 2)]
    node.reorg(2, { transactions, ledgers: 3, remine: false })
    expect(node.history.tip().index).toBe(undone.index + 1)
    expect(node.history.at(undone.index)?.hash).not.toBe(undone.hash)
    expect(node.history.at(undone.index - 1)?.parentHash).toBe(parent?.hash)
    expect(fixture.balance(user.address)).toBe(before)
    expect(node.history.ofAccount(user.address).some((other) => other.transaction.hash === transaction.hash)).toBe(false)
    node.mine()
    expect(isValidated(transaction.hash)).toBe(transactions === 'return')
  })
})

it('a reorganisation of empty ledgers gives them other hashes', () => {
  node.mine()
  const { index, hash } = node.history.tip()
  node.reorg(1)
  expect(node.history.tip()).toMatchObject({ index, hash: expect.not.stringMatching(hash) })
})

describe('faults', () => {
  it('lose transactions that the node accepted', () => {
    node.drop(1)
    const dropped = user.send(payment())
    expect(dropped.result).toBe('tesSUCCESS')
    const evicted = user.send(payment({ Amount: '7' }))
    expect(node.evict(evicted.transaction.hash)).toBe(true)
    const kept = user.send(payment({ Amount: '8' }))
    node.mine()
    expect([dropped, evicted, kept].map(({ transaction }) => isValidated(transaction.hash))).toEqual([false, false, true])
  })
})

it('demands the id of the network above 1024, and refuses it below', async () => {
  expect(user.send(payment({ NetworkID: 1_000 })).result).toBe('telNETWORK_ID_MAKES_TX_NON_CANONICAL')
  await fixture.close()
  await open({ networkId: 31_340 })
  expect(user.send(payment()).result).toBe('telREQUIRES_NETWORK_ID')
  expect(user.send(payment({ NetworkID: 31_341 })).result).toBe('telWRONG_NETWORK')
  expect(user.send(payment({ NetworkID: 31_340 })).result).toBe('tesSUCCESS')
})
