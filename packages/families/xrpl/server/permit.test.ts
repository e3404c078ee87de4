/** Tests that keys sign on the XRP Ledger what their purpose says, and nothing that a thief of everything but the key would ask for. */
import { localChains } from '@tandem/families/registry.ts'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import { SigningRefused } from '@tandem/keys/permit.ts'
import { type OrderPurpose, orderPurpose, type Purpose, type SignedVerb, type WithdrawPurpose } from '@tandem/keys/purpose.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classicAddressToXAddress, decode, encode } from 'xrpl'
import { accountOf } from '../terms/address.ts'
import { conditionOf, escrowOf, toRippleTime } from '../terms/htlc.ts'
import { MAX_PER_UNIT } from './fees.ts'
import { createPermit } from './permit.ts'
import { type Call, cancelCall, createCall, FINISH_UNITS, finishCall, noop, paymentCall, unitsOf, unsignedOf } from './send/transaction.ts'

const found = localChains.find(({ id }) => id === 'xrpl_localnet')
if (found === undefined) throw new Error('there is no local XRP Ledger')
const NETWORK = { NetworkID: 31_340 }
const chain: Chain = { ...found, reference: `xrpl:${NETWORK.NetworkID}` }
const NOW = 1_790_000_000n
const HOUR = 3_600n
const permit = createPermit(chain, () => NOW)

const keyOf = (byte: string) => createEd25519Key(byte.repeat(32))
const key = keyOf('42')
const [own, user, thief] = [accountOf(key), accountOf(keyOf('43')), accountOf(keyOf('44'))]
const [secret, otherSecret] = [createSecret(), createSecret()]

const paying: HtlcTerms = {
  asset: 'xrpl_localnet:xrp',
  initiator: own,
  redeemer: user,
  amount: 5_000_000n,
  timelock: 600n,
  secretHash: hashSecret(secret),
}
const payingTagged: HtlcTerms = { ...paying, redeemer: classicAddressToXAddress(user, 4711, true) }
const paid: HtlcTerms = { ...paying, initiator: user, redeemer: own }
const escrow = { owner: user, sequence: 77n }

type Fields = Readonly<Record<string, unknown>>
const unsigned = (call: Call, over: Fields = {}): Fields => ({
  ...unsignedOf(key, { sequence: 7n, fees: { perUnit: 12n, lastLedger: 120n }, network: NETWORK }, call),
  ...over,
})
const ask = (purpose: Purpose, transaction: unknown, by = key) =>
  permit({ key: by, purpose, operation: 'transaction', args: [transaction] })
const purposeOf = (verb: SignedVerb, terms: HtlcTerms): OrderPurpose =>
  orderPurpose(chain.id, { order: 'order', leg: 'source', verb, terms })
const withdrawal = (recipient: string): WithdrawPurpose => ({
  kind: 'withdraw',
  chain: chain.id,
  asset: paying.asset,
  recipient,
  amount: 9_000_000n,
})

const create = (terms: HtlcTerms, from = NOW) => createCall(escrowOf(terms, from))
const finish = (shown: string, terms = paid) => finishCall({ ...escrow, owner: terms.initiator }, conditionOf(terms.secretHash), shown)

const ALLOWED: readonly (readonly [what: string, purpose: OrderPurpose | WithdrawPurpose, call: Call])[] = [
  ['a lock', purposeOf('initiate', paying), create(paying)],
  ['a lock for an account at an exchange', purposeOf('initiate', payingTagged), create(payingTagged)],
  ['a redeem', purposeOf('redeem', paid), finish(secret)],
  ["a redeem of a user's", purposeOf('redeem', paying), finish(secret, paying)],
  ['a refund', purposeOf('refund', paid), cancelCall(escrow)],
  ['a withdrawal', withdrawal(user), paymentCall(user, null, 9_000_000n)],
  ['a withdrawal to an exchange', withdrawal(payingTagged.redeemer), paymentCall(user, 4711, 9_000_000n)],
]

/** These fields mean something in a transaction of these types, or in every one. */
const MORE_FIELDS: Fields = {
  Flags: 0x0002_0000,
  FinishAfter: toRippleTime(NOW),
  DestinationTag: 1,
  SourceTag: 1,
  SendMax: '1000000000',
  DeliverMin: '1',
  Paths: [],
  InvoiceID: 'AB'.repeat(32),
  Memos: [{ Memo: { MemoData: 'AB' } }],
  Signers: [],
  Delegate: thief,
  TicketSequence: 7,
  AccountTxnID: 'AB'.repeat(32),
  CredentialIDs: ['AB'.repeat(32)],
  RegularKey: thief,
  SetFlag: 4,
  TxnSignature: 'AB',
  unknown: undefined,
  constructor: Object,
}

/** Sequences, last ledgers and fees below the cap are what a transaction is sent with. Which escrow of its owner is ended, only the ledger can tell. */
function isHarmless(given: Fields, other: Fields): boolean {
  const isUint32 = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32
  return Object.entries({ ...given, ...other }).every(([name, value]) => {
    if (Object.hasOwn(other, name) && Object.hasOwn(given, name) && given[name] === value) return true
    if (['Sequence', 'LastLedgerSequence', 'OfferSequence'].includes(name)) return Object.hasOwn(given, name) && isUint32(other[name])
    // An escrow that ends earlier comes back to us earlier.
    if (name === 'CancelAfter') return isUint32(other[name]) && Number(other[name]) <= toRippleTime(NOW + 600n + HOUR)
    if (name !== 'Fee' || !/^[1-9][0-9]*$/.test(`${other.Fee}`) || typeof other.Fee !== 'string') return false
    const units = given.TransactionType === 'EscrowFinish' ? FINISH_UNITS : 1n
    return BigInt(other.Fee) <= MAX_PER_UNIT * units && BigInt(other.Fee) % units === 0n
  })
}

describe('a transaction', () => {
  test.each(ALLOWED)('may be %s, and has the fields that were judged', (_, purpose, call) => {
    const transaction = unsigned(call)
    expect(() => ask(purpose, transaction)).not.toThrow()
    expect(decode(encode(transaction as Parameters<typeof encode>[0]))).toEqual(transaction)
  })

  test.each(ALLOWED)('may be %s at the highest fee, and no higher', (_, purpose, call) => {
    const most = MAX_PER_UNIT * unitsOf(call)
    expect(() => ask(purpose, unsigned(call, { Fee: `${most}` }))).not.toThrow()
    expect(() => ask(purpose, unsigned(call, { Fee: `${most + unitsOf(call)}` }))).toThrow('its fee')
  })

  test.each(ALLOWED)('may not be %s with anything of it changed', (_, purpose, call) => {
    const given = unsigned(call)
    const value = fc.oneof(
      fc.constantFrom<unknown>(thief, user, own, undefined, null, payingTagged.redeemer, conditionOf('12'.repeat(32)), {}, []),
      fc.constantFrom('Payment', 'EscrowCreate', 'EscrowFinish', 'EscrowCancel', 'AccountSet', 'AccountDelete', 'SetRegularKey'),
      fc.integer(),
      fc.nat(2 ** 31),
      fc.bigInt({ min: 0n, max: 10n ** 17n }).map(String),
      fc.string(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('hex').toUpperCase()),
    )
    const changed = fc.oneof(
      fc.tuple(fc.constantFrom(...Object.keys(given)), value).map(([name, other]) => ({ ...given, [name]: other })),
      fc.constantFrom(...Object.keys(given)).map((name) => Object.fromEntries(Object.entries(given).filter(([one]) => one !== name))),
      fc
        .constantFrom(...Object.entries(MORE_FIELDS).filter(([name]) => !Object.hasOwn(given, name)))
        .map(([name, more]) => ({ ...given, [name]: more })),
      fc
        .tuple(fc.constantFrom(...Object.keys(given)), fc.nat(200))
        .filter(([name, at]) => typeof given[name] === 'string' && at < `${given[name]}`.length)
        .map(([name, at]) => ({ ...given, [name]: withOtherDigit(`${given[name]}`, at) })),
    )
    fc.assert(
      fc.property(changed, (other) => {
        fc.pre(!isHarmless(given, other))
        expect(() => ask(purpose, other)).toThrow(SigningRefused)
      }),
      { numRuns: 500 },
    )
  })

  test.each(ALLOWED)('may not be %s by another key, on another chain, or for another kind of purpose', (_, purpose, call) => {
    expect(() => ask(purpose, unsigned(call), keyOf('43'))).toThrow(SigningRefused)
    expect(() => ask({ ...purpose, chain: 'xrpl' }, unsigned(call))).toThrow('signs on xrpl_localnet')
    const { NetworkID: _network, ...unnamed } = unsigned(call)
    for (const other of [{ ...unnamed, NetworkID: 31_341 }, unnamed]) expect(() => ask(purpose, other)).toThrow('"NetworkID"')
    const { asset } = paying
    const others: readonly Purpose[] = [
      { kind: 'deploy', chain: chain.id, asset },
      { kind: 'rescue', chain: chain.id, terms: paid },
      { kind: 'claim', chain: chain.id, asset, recipient: user, total: 9_000_000n },
      { kind: 'fund', chain: chain.id, asset, contract: user, amount: 9_000_000n },
    ]
    for (const other of others) expect(() => ask(other, unsigned(call)), other.kind).toThrow('has no transactions')
  })

  const VERBS: readonly SignedVerb[] = [
    'initiate',
    'redeem',
    'refund',
    'reclaim',
    'close',
    'relay',
    'cancel',
    'fill',
    'instant-refund',
    'cosigned-redeem',
  ]
  test.each(ALLOWED)('may be %s for its own purpose only', (_, purpose, call) => {
    const verbs = VERBS.filter((verb) => purpose.kind !== 'order' || purpose.actions[0].verb !== verb)
    for (const verb of verbs)
      for (const terms of [paying, payingTagged, paid])
        expect(() => ask(purposeOf(verb, terms), unsigned(call)), verb).toThrow(SigningRefused)
    if (purpose.kind === 'order') expect(() => ask(withdrawal(user), unsigned(call))).toThrow(SigningRefused)
  })

  test.each<readonly [string, Purpose, Call]>([
    ['a lock for another redeemer', purposeOf('initiate', paying), create({ ...paying, redeemer: thief })],
    ['a lock without the tag', purposeOf('initiate', payingTagged), create(paying)],
    ['a lock of more', purposeOf('initiate', paying), create({ ...paying, amount: 5_000_001n })],
    ['a lock by another secret', purposeOf('initiate', paying), create({ ...paying, secretHash: hashSecret(otherSecret) })],
    ['a lock of what another is to lock', purposeOf('initiate', paid), create({ ...paid, initiator: own })],
    ['a lock that ends much later', purposeOf('initiate', paying), create(paying, NOW + HOUR + 1n)],
    ['a redeem that shows another secret', purposeOf('redeem', paid), finish(otherSecret)],
    ["a redeem of another owner's escrow", purposeOf('redeem', paid), finish(secret, { ...paid, initiator: thief })],
    ["a refund of another owner's escrow", purposeOf('refund', paid), cancelCall({ ...escrow, owner: thief })],
    ['a payment to somebody', withdrawal(user), paymentCall(thief, null, 9_000_000n)],
    ['a payment of more', withdrawal(user), paymentCall(user, null, 9_000_001n)],
    ['a payment of another asset', { ...withdrawal(user), asset: 'xrpl_localnet:usdc' }, paymentCall(user, null, 9_000_000n)],
    ['a lock of another asset', purposeOf('initiate', { ...paying, asset: 'xrpl_localnet:usdc' }), create(paying)],
    ['a payment of what an order names', purposeOf('initiate', paying), paymentCall(user, null, paying.amount)],
    ['nothing, which no action needs here', purposeOf('cancel', paying), noop],
  ])('may not be %s', (_, purpose, call) => {
    expect(() => ask(purpose, unsigned(call))).toThrow(SigningRefused)
  })

  test('serves one order', () => {
    const both: OrderPurpose = {
      ...purposeOf('redeem', paid),
      actions: [...purposeOf('redeem', paid).actions, ...purposeOf('redeem', paying).actions],
    }
    expect(() => ask(both, unsigned(finish(secret)))).toThrow('one order')
  })

  test('may be the lock that was recorded before, which ends earlier', () => {
    expect(() => ask(purposeOf('initiate', paying), unsigned(create(paying, NOW - 300n)))).not.toThrow()
    expect(() => ask(purposeOf('initiate', paying), unsigned(create(paying, NOW + HOUR)))).not.toThrow()
  })

  test('is one', () => {
    for (const other of [undefined, null, '', 'AB'.repeat(60), 7, [], Object.create(unsigned(finish(secret)))])
      expect(() => ask(purposeOf('redeem', paid), other)).toThrow(SigningRefused)
  })
})

test.each(['', 'toString', 'constructor', 'message'])('nothing else is signed: "%s"', (operation) => {
  expect(() => permit({ key, purpose: purposeOf('redeem', paid), operation, args: [unsigned(finish(secret))] })).toThrow('no rule')
})

function withOtherDigit(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`
}
