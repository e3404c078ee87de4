/** Tests which transactions of the ledger are events of a swap. */
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { describe, expect, test } from 'vitest'
import { classicAddressToXAddress } from 'xrpl'
import { conditionOf, escrowOf, expiryOf, fulfillmentOf, swapIdOf, toRippleTime } from '../terms/htlc.ts'
import { keyOfChange, parseChange, parseEscrow } from '../terms/nodes/read-escrow.ts'
import { coveringAccounts, readEvents } from './events.ts'
import type { EscrowChange } from './nodes/node.ts'
import { forgedCreate } from './nodes/provider.fixture.ts'

const USER = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'
const SOLVER = 'rQrFNnvPGNNMqRcVRMbtBK3hpYaPzoa8K9'
const OTHER = 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe'
const secret = createSecret()
const terms: HtlcTerms = {
  asset: 'xrpl_localnet:xrp',
  initiator: USER,
  redeemer: SOLVER,
  amount: 5_000_000n,
  timelock: 600n,
  secretHash: hashSecret(secret),
}
const block: Block = { height: 9n, hash: 'AA'.repeat(32), parentHash: 'BB'.repeat(32), time: 1_800_000_000n }

type Entry = Readonly<Record<string, unknown>> & { readonly tx_json: object; readonly meta: object }
const created = forgedCreate(terms, block) as Entry
const creating = (fields: object): Entry => ({ ...created, tx_json: { ...created.tx_json, ...fields } })

const finalFields = {
  ...created.tx_json,
  TransactionType: undefined,
  Sequence: undefined,
  Fee: undefined,
  OwnerNode: '0',
  LedgerEntryType: 'Escrow',
}
/** A stranger ends the escrow, because anyone may finish or cancel. */
const ending = (fields: object, final: object = {}): Entry => ({
  ...created,
  hash: 'CD'.repeat(32),
  tx_json: { Account: OTHER, Owner: USER, OfferSequence: 7, ...fields },
  meta: {
    TransactionResult: 'tesSUCCESS',
    AffectedNodes: [
      { ModifiedNode: { LedgerEntryType: 'AccountRoot' } },
      { DeletedNode: { LedgerEntryType: 'Escrow', FinalFields: JSON.parse(JSON.stringify({ ...finalFields, ...final })) } },
    ],
  },
})
const finish = { TransactionType: 'EscrowFinish', Condition: conditionOf(terms.secretHash), Fulfillment: fulfillmentOf(secret) }

describe('a transaction', () => {
  const escrow = escrowOf(terms, block.time)

  test('that makes, finishes or cancels an escrow is read, whoever sent it', () => {
    const place = { ledger: 9n, ledgerHash: block.hash, sequence: 7n, escrow }
    expect(parseChange(created)).toEqual({ ...place, kind: 'created', tx: 'AB'.repeat(32) })
    expect(parseChange(ending(finish))).toEqual({ ...place, kind: 'finished', tx: 'CD'.repeat(32), fulfillment: fulfillmentOf(secret) })
    expect(parseChange(ending({ TransactionType: 'EscrowCancel' }))).toEqual({ ...place, kind: 'cancelled', tx: 'CD'.repeat(32) })
  })

  test('with a ticket makes an escrow with the number of the ticket', () => {
    expect(parseChange(creating({ Sequence: 0, TicketSequence: 44 }))?.sequence).toBe(44n)
  })

  test.each<[string, Entry]>([
    ['with a second condition', creating({ FinishAfter: toRippleTime(block.time) })],
    ['with a function that must agree', creating({ FinishFunction: '00' })],
    ['without an end', creating({ CancelAfter: undefined })],
    ['without a condition', creating({ Condition: undefined })],
    ['of a token', creating({ Amount: { currency: 'USD', issuer: OTHER, value: '5000000' } })],
    ['of nothing', creating({ Amount: '0' })],
    ['that failed', { ...created, meta: { ...created.meta, TransactionResult: 'tecUNFUNDED' } }],
    ['that is not validated', { ...created, validated: false }],
    ['that made no escrow', { ...created, meta: { ...created.meta, AffectedNodes: [] } }],
    ['that ended an escrow of another owner', ending(finish, { Account: OTHER })],
    ['that ended no escrow', { ...ending(finish), meta: { TransactionResult: 'tesSUCCESS', AffectedNodes: [] } }],
    ['of another kind', creating({ TransactionType: 'Payment' })],
  ])('%s is none of ours', (_, entry) => {
    const fields = Object.fromEntries(Object.entries(entry.tx_json).filter(([, value]) => value !== undefined))
    expect(parseChange({ ...entry, tx_json: fields })).toBeNull()
  })

  test('is compared by all that it says', () => {
    const of = (entry: Entry) => keyOfChange(parseChange(entry) as EscrowChange)
    const variants = [
      created,
      creating({ CancelAfter: 5 }),
      creating({ DestinationTag: 1 }),
      creating({ DestinationTag: 0 }),
      creating({ Sequence: 8 }),
      { ...created, ledger_hash: '00'.repeat(32) },
      ending(finish),
      ending({ ...finish, Fulfillment: fulfillmentOf(createSecret()) }),
      ending({ TransactionType: 'EscrowCancel' }),
    ]
    expect(new Set(variants.map(of)).size).toBe(variants.length)
  })
})

describe('events', () => {
  const read = (entries: readonly Entry[], watched: readonly HtlcTerms[] = [terms], headers: readonly Block[] = [block]) => {
    const asked: string[] = []
    const node = {
      blocks: async () => headers,
      async escrowChanges(account: string) {
        asked.push(account)
        return entries.flatMap((entry) => parseChange(entry) ?? [])
      },
    }
    const swaps = watched.map((one) => ({ swapId: swapIdOf('xrpl_localnet', one), terms: one, deposits: [] }))
    return readEvents(node, createWatchedSwaps(swaps), 1n, 9n).then((events) => ({ events, asked }))
  }
  const swapId = swapIdOf('xrpl_localnet', terms)

  test('are those of the escrow with the terms of a swap, with its end and its secret', async () => {
    const at = { swapId, block: { height: 9n, hash: block.hash, time: block.time }, deposit: `${USER}:7` }
    const expiresAt = expiryOf(escrowOf(terms, block.time))
    expect((await read([ending(finish), created])).events).toEqual([
      { ...at, kind: 'initiated', tx: 'AB'.repeat(32), index: 'escrow', amount: 5_000_000n, expiresAt },
      { ...at, kind: 'redeemed', tx: 'CD'.repeat(32), index: 'escrow', secret, paid: terms.amount },
    ])
    // This second is the first in which a cancel is possible: CancelAfter itself still allows a finish.
    expect(expiresAt).toBe(block.time + 601n)
  })

  test.each([
    ['outer length', 'A081228020'],
    ['inner length', 'A023808120'],
    ['lengths with leading zeros', 'A08400000026808400000020'],
  ])('have the secret of a finish with the %s in the long form, which nodes accept', async (_, before) => {
    const Fulfillment = `${before}${secret.toUpperCase()}`
    expect((await read([ending({ ...finish, Fulfillment })])).events).toMatchObject([{ kind: 'redeemed', secret }])
  })

  test.each<[string, object]>([
    ['amount', { Amount: '4999999' }],
    ['destination', { Destination: OTHER }],
    ['owner', { Account: OTHER }],
    ['condition', { Condition: conditionOf('12'.repeat(32)) }],
    ['tag', { DestinationTag: 0 }],
  ])('need the right %s', async (_, fields) => {
    expect((await read([creating(fields)])).events).toEqual([])
  })

  test('of a tagged redeemer need its tag', async () => {
    const tagged = { ...terms, redeemer: classicAddressToXAddress(SOLVER, 0, true) }
    expect((await read([created], [tagged])).events).toEqual([])
    expect((await read([creating({ DestinationTag: 0 })], [tagged])).events).toMatchObject([{ kind: 'initiated' }])
  })

  test('count an escrow for one swap only', async () => {
    const longer = { ...terms, timelock: 601n }
    const [first] = [swapId, swapIdOf('xrpl_localnet', longer)].sort()
    for (const watched of [
      [terms, longer],
      [longer, terms],
    ])
      expect((await read([created], watched)).events).toMatchObject([{ swapId: first }])
  })

  test('that contradict the validated ledger or the secret hash stop the reading', async () => {
    const unreachable = expect.objectContaining({ kind: 'unreachable' })
    await expect(read([created], [terms], [{ ...block, hash: 'FF'.repeat(32) }])).rejects.toEqual(unreachable)
    await expect(read([created], [terms], [])).rejects.toEqual(unreachable)
    await expect(read([ending({ ...finish, Fulfillment: fulfillmentOf(createSecret()) })])).rejects.toEqual(unreachable)
  })

  test('of very many open swaps are read of the solvers’ accounts, and found by the secret hashes that the ledgers show', async () => {
    const unfunded = Array.from({ length: 1_000 }, (_, n) => ({ ...terms, initiator: OTHER, amount: BigInt(n + 1) }))
    const swaps = [...unfunded, terms].map((one) => ({ swapId: swapIdOf('xrpl_localnet', one), terms: one, deposits: [] }))
    const asked: unknown[] = []
    const watched = {
      ...createWatchedSwaps(swaps),
      solverParties: async () => [SOLVER, classicAddressToXAddress(SOLVER, 7, true)],
      bySecretHash: async (hashes: readonly string[]) => {
        asked.push(hashes)
        return swaps.slice(-1)
      },
    }
    let entries: readonly Entry[] = [creating({ Condition: 'A0258020' }), created]
    const node = {
      blocks: async () => [block],
      async escrowChanges(account: string) {
        asked.push(account)
        return entries.flatMap((entry) => parseChange(entry) ?? [])
      },
    }
    expect(await readEvents(node, watched, 1n, 9n)).toMatchObject([{ kind: 'initiated', swapId }])
    expect(asked.splice(0)).toEqual([SOLVER, [terms.secretHash]])
    entries = []
    expect(await readEvents(node, watched, 1n, 9n)).toEqual([])
    expect(asked).toEqual([SOLVER, []])
  })

  test('come from the accounts with the most swaps', async () => {
    const swaps = [
      terms,
      { ...terms, initiator: OTHER },
      { ...terms, initiator: SOLVER, redeemer: classicAddressToXAddress(OTHER, 7, true) },
    ]
    expect((await read([], swaps)).asked).toEqual([SOLVER])
    expect(coveringAccounts([...swaps, { ...terms, timelock: 1n }, { initiator: USER, redeemer: OTHER }])).toEqual([SOLVER, USER])
    expect(coveringAccounts([{ initiator: SOLVER, redeemer: classicAddressToXAddress(USER, 7, true) }])).toEqual([SOLVER])
    expect(coveringAccounts([])).toEqual([])
  })
})

test('an escrow in the ledger has fields that transactions do not have', () => {
  const fields = JSON.parse(JSON.stringify({ ...finalFields, Sequence: 7, PreviousTxnID: 'AB', PreviousTxnLgrSeq: 9, index: 'CD' }))
  expect(parseEscrow(fields)).toEqual(escrowOf(terms, block.time))
  expect(parseEscrow({ ...fields, TransferRate: 1 })).toBeNull()
})
