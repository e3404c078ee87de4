// Tests the rules of escrows, at their boundaries.
import { createHash, randomBytes } from 'node:crypto'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Fields, Metadata } from '../ledger/metadata.ts'
import { accountOf } from '../ledger/view.ts'
import { createLocalSender, type LocalSender } from '../local-sender.ts'
import { newKey, openXrplFixture, XRP } from '../xrpl.fixture.ts'

const [secret, otherSecret] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
const conditionOf = (preimage: string) => `A0258020${createHash('sha256').update(preimage, 'hex').digest('hex')}810120`.toUpperCase()
const fulfillmentOf = (preimage: string) => `A0228020${preimage}`.toUpperCase()
const Condition = conditionOf(secret)
const Fulfillment = fulfillmentOf(secret)

const fixture = opened(openXrplFixture)
let user: LocalSender
let solver: LocalSender
let third: LocalSender
beforeAll(async () => {
  ;[user, solver, third] = fixture.accounts.map(({ sender }) => sender) as [LocalSender, LocalSender, LocalSender]
})

const tip = () => fixture.chain.node.history.tip()

/** The result is that in the closed ledger, or that of the refusal. Fields that are undefined are left out. */
function run(sender: LocalSender, fields: Fields): string {
  const { transaction, result, isApplied } = sender.send(JSON.parse(JSON.stringify(fields)))
  fixture.chain.mine()
  return isApplied ? String(metaOf(transaction.hash).TransactionResult) : result
}

function metaOf(hash: string): Metadata {
  const found = fixture.chain.node.history.transaction(hash)
  if (found === undefined) throw new Error(`${hash} is in no ledger`)
  return found.meta
}

const nextSequence = (sender: LocalSender) => accountOf(fixture.chain.node.open().view, sender.address)?.Sequence ?? 0
const createFields = (fields: Fields = {}) => ({
  TransactionType: 'EscrowCreate',
  Destination: solver.address,
  Amount: String(5n * XRP),
  Condition,
  CancelAfter: tip().closeTime + 600,
  ...fields,
})

function create(fields: Fields = {}): number {
  const sequence = nextSequence(user)
  expect(run(user, createFields(fields))).toBe('tesSUCCESS')
  return sequence
}

const finish = (OfferSequence: number, fields: Fields = {}, sender = third) =>
  run(sender, { TransactionType: 'EscrowFinish', Owner: user.address, OfferSequence, Condition, Fulfillment, ...fields })
const cancel = (OfferSequence: number, sender = third) =>
  run(sender, { TransactionType: 'EscrowCancel', Owner: user.address, OfferSequence })

function recipientWith(...flags: readonly number[]): LocalSender {
  const sender = createLocalSender(fixture.chain.node, newKey())
  fixture.fund(sender.address, 10n * XRP)
  for (const SetFlag of flags) expect(run(sender, { TransactionType: 'AccountSet', SetFlag })).toBe('tesSUCCESS')
  return sender
}

describe('an escrow', () => {
  it('is paid to its destination by anyone who has the secret, once', () => {
    const sequence = create()
    const before = fixture.balance(solver.address)
    expect(finish(sequence)).toBe('tesSUCCESS')
    expect(fixture.balance(solver.address)).toBe(before + 5n * XRP)
    expect(finish(sequence)).toBe('tecNO_TARGET')
  })

  it('is finished while its parent closed no later than CancelAfter, and cancelled only after that', () => {
    const late = tip().closeTime + 2_000
    // The parent of the next ledger closes at this time exactly, or a second later.
    const [onTime, tooLate] = [create({ CancelAfter: late }), create({ CancelAfter: late })]
    fixture.chain.node.passTime(late - Math.max(tip().closeTime, fixture.chain.node.now()) - 20)
    while (tip().closeTime < late) fixture.chain.mine()
    expect(tip().closeTime).toBe(late)
    const owner = fixture.balance(user.address)
    expect(third.send({ TransactionType: 'EscrowCancel', Owner: user.address, OfferSequence: tooLate }).result).toBe('tecNO_PERMISSION')
    expect(finish(onTime)).toBe('tesSUCCESS')
    expect(tip().closeTime).toBe(late + 1)
    expect(finish(tooLate)).toBe('tecNO_PERMISSION')
    expect(cancel(tooLate)).toBe('tesSUCCESS')
    expect(fixture.balance(user.address)).toBe(owner + 5n * XRP)
  })

  it.each([
    { fields: { CancelAfter: undefined }, result: 'temBAD_EXPIRATION' },
    { fields: { Condition: undefined }, result: 'temMALFORMED' },
    { fields: { Condition: `${Condition.slice(0, -2)}8080` }, result: 'temMALFORMED' },
    { fields: { Amount: '0' }, result: 'temBAD_AMOUNT' },
    { fields: { Amount: { currency: 'USD', issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value: '5' } }, result: 'temBAD_AMOUNT' },
    { fields: { FinishAfter: 4_000_000_000 }, result: 'temBAD_EXPIRATION' },
    { fields: { CancelAfter: 700_000_000 }, result: 'tecNO_PERMISSION' },
    { fields: { Destination: 'rrrrrrrrrrrrrrrrrrrrBZbvji' }, result: 'tecNO_DST' },
    { fields: { Flags: 1 }, result: 'temINVALID_FLAG' },
  ])('is not made: $fields', ({ fields, result }) => {
    expect(run(user, createFields(fields))).toBe(result)
  })

  it.each([
    { name: 'another secret', fields: { Fulfillment: fulfillmentOf(otherSecret) }, result: 'tecCRYPTOCONDITION_ERROR' },
    {
      name: 'another condition',
      fields: { Condition: conditionOf(otherSecret), Fulfillment: fulfillmentOf(otherSecret) },
      result: 'tecCRYPTOCONDITION_ERROR',
    },
    { name: 'a wrong length', fields: { Fulfillment: `A0238020${secret}`.toUpperCase() }, result: 'tecCRYPTOCONDITION_ERROR' },
    { name: 'no condition', fields: { Condition: undefined }, result: 'temMALFORMED' },
    { name: 'neither', fields: { Condition: undefined, Fulfillment: undefined }, result: 'tecCRYPTOCONDITION_ERROR' },
    { name: 'too small a fee', fields: { Fee: '349' }, result: 'telINSUF_FEE_P' },
    { name: 'another sequence', fields: { OfferSequence: 1 }, result: 'tecNO_TARGET' },
  ])('is not finished with $name', ({ fields, result }) => {
    const sequence = create()
    expect(finish(sequence, fields)).toBe(result)
    expect(finish(sequence, { Fee: '350' })).toBe('tesSUCCESS')
  })

  it.each(['A081228020', 'A023808120', 'A08400000026808400000020'])('is finished with lengths in the form %s', (before) => {
    expect(finish(create(), { Fulfillment: `${before}${secret}`.toUpperCase(), Fee: '400' })).toBe('tesSUCCESS')
  })

  it('whose condition says 32 bytes is not finished by a secret of 31, though its hash is right', () => {
    const short = secret.slice(2)
    const sequence = create({ Condition: conditionOf(short) })
    expect(finish(sequence, { Condition: conditionOf(short), Fulfillment: `A021801F${short}`.toUpperCase() })).toBe(
      'tecCRYPTOCONDITION_ERROR',
    )
  })

  it('needs one more reserve, and the balance after the fee', () => {
    const poor = createLocalSender(fixture.chain.node, newKey())
    fixture.fund(poor.address, 6_200_000n)
    // The account keeps 1 XRP and 0.2 XRP.
    expect(run(poor, createFields({ Amount: '4999991', Fee: '10' }))).toBe('tecUNFUNDED')
    expect(run(poor, createFields({ Amount: '4999980', Fee: '10' }))).toBe('tesSUCCESS')
    expect(fixture.balance(poor.address)).toBe(1_200_000n)
    expect(run(poor, createFields({ Amount: '1' }))).toBe('tecINSUFFICIENT_RESERVE')
  })

  it('obeys the settings of its destination', () => {
    const [tagged, silent, guarded] = [recipientWith(1), recipientWith(3), recipientWith(9)]
    expect(run(user, createFields({ Destination: tagged.address }))).toBe('tecDST_TAG_NEEDED')
    expect(finish(create({ Destination: tagged.address, DestinationTag: 7 }))).toBe('tesSUCCESS')
    expect(finish(create({ Destination: silent.address }))).toBe('tesSUCCESS')
    const sequence = create({ Destination: guarded.address })
    expect(finish(sequence)).toBe('tecNO_PERMISSION')
    expect(run(guarded, { TransactionType: 'DepositPreauth', Authorize: third.address })).toBe('tesSUCCESS')
    expect(finish(sequence)).toBe('tesSUCCESS')
    expect(finish(create({ Destination: guarded.address }), {}, guarded)).toBe('tesSUCCESS')
  })
})

describe('what an escrow changed', () => {
  const nodesOf = (hash: string) =>
    metaOf(hash).AffectedNodes.map((node) => {
      const [[kind, fields] = []] = Object.entries(node)
      return { kind, type: fields?.LedgerEntryType, ...fields }
    })

  it('names the escrow with its terms when it is made and when it ends, and both accounts', () => {
    const created = user.send(createFields({ DestinationTag: 9 }))
    fixture.chain.mine()
    const escrow = {
      Account: user.address,
      Destination: solver.address,
      DestinationTag: 9,
      Amount: String(5n * XRP),
      Condition,
      CancelAfter: created.transaction.json.CancelAfter,
    }
    expect(nodesOf(created.transaction.hash)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'CreatedNode', type: 'Escrow', NewFields: escrow }),
        expect.objectContaining({
          kind: 'ModifiedNode',
          type: 'AccountRoot',
          FinalFields: expect.objectContaining({ Account: user.address }),
        }),
      ]),
    )
    const finished = third.send({
      TransactionType: 'EscrowFinish',
      Owner: user.address,
      OfferSequence: created.transaction.sequence,
      Condition,
      Fulfillment,
    })
    fixture.chain.mine()
    const gone = {
      ...escrow,
      Flags: 0,
      OwnerNode: '0',
      DestinationNode: '0',
      PreviousTxnID: created.transaction.hash,
      PreviousTxnLgrSeq: tip().index - 1,
    }
    const nodes = nodesOf(finished.transaction.hash)
    expect(nodes.filter(({ kind }) => kind === 'DeletedNode')).toEqual([expect.objectContaining({ type: 'Escrow', FinalFields: gone })])
    const paid = nodes.find(({ FinalFields }) => FinalFields?.Account === solver.address)
    expect(BigInt(String(paid?.FinalFields?.Balance)) - BigInt(String(paid?.PreviousFields?.Balance))).toBe(5n * XRP)
    for (const account of [user.address, solver.address, third.address])
      expect(fixture.chain.node.history.ofAccount(account).at(-1)?.transaction.hash).toBe(finished.transaction.hash)
  })

  it('is the fee alone if it fails', () => {
    const before = fixture.balance(third.address)
    const { transaction } = third.send({ TransactionType: 'EscrowCancel', Owner: user.address, OfferSequence: 1 })
    fixture.chain.mine()
    expect(nodesOf(transaction.hash)).toMatchObject([
      { kind: 'ModifiedNode', type: 'AccountRoot', PreviousFields: { Balance: String(before), Sequence: transaction.sequence } },
    ])
    expect(fixture.balance(third.address)).toBe(before - 10n)
  })
})
