/**
 * Lists the ways in which strangers make an escrow: with every field that a transaction may have beside those that the terms fix. They run
 * on a simulator of rippled's rules, because its own code cannot be run here.
 */
import {
  type AgreedSwap,
  type ChoicesOf,
  each,
  onlyWay,
  RefusedByChain,
  type StrangersWay,
  strangersWay,
} from '@tandem/chain-kit/testing/strangers-initiation.fixture.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import fc from 'fast-check'
import { classicAddressToXAddress } from 'xrpl'
import { FailsLocalChecks } from '../local/transactions/signed-transaction.ts'
import { conditionOf } from '../terms/htlc.ts'
import type { FamilyFixture, TestParty } from './xrpl.fixture.ts'

type Fields = Readonly<Record<string, unknown>>

/** The flag is `tfFullyCanonicalSig`. */
const FULLY_CANONICAL = 0x8000_0000
/** The ledger keeps this reserve while an account exists. */
const WEALTH = 1_000_000_000n
const USD = 'USD'

export function xrplWays({ user, openParty, devnet: { chain } }: FamilyFixture): readonly StrangersWay[] {
  const stranger = openParty(WEALTH)
  /** A node refuses a malformed transaction immediately. */
  function send(fields: Fields, by: TestParty = user): ReturnType<TestParty['send']> {
    try {
      return by.send(fields)
    } catch (error) {
      if (error instanceof FailsLocalChecks) throw new RefusedByChain(error.message)
      throw error
    }
  }
  const changed = (name: string, outcome: 'counts' | 'never' | 'may', choices: ChoicesOf<Fields>) =>
    strangersWay(name, {
      outcome,
      ...choices,
      initiate: async ({ funding }, fields) => void send({ ...escrowOf(funding), ...structuredClone(fields) }),
    })
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
  const hex = (bytes: number) =>
    fc.uint8Array({ minLength: 1, maxLength: bytes }).map((all) => Buffer.from(all).toString('hex').toUpperCase())

  async function withTicket(
    { funding }: AgreedSwap,
    { tickets, used }: { readonly tickets: number; readonly used: number },
  ): Promise<void> {
    const { transaction } = send({ TransactionType: 'TicketCreate', TicketCount: tickets })
    chain.mine()
    send({ ...escrowOf(funding), Sequence: 0, TicketSequence: transaction.sequence + 1 + (used % tickets) })
  }

  return [
    changed('with fields that every transaction may have', 'counts', {
      choices: fc
        .record({
          SourceTag: optional(fc.nat()),
          Flags: fc.constantFrom(0, FULLY_CANONICAL),
          Memos: optional(fc.array(fc.record({ Memo: fc.record({ MemoData: hex(60) }) }), { minLength: 1, maxLength: 2 })),
          Fee: fc.constantFrom('10', '500', '1000000'),
        })
        .map((fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))),
    }),
    strangersWay('with a ticket instead of a sequence', {
      outcome: 'counts',
      choices: fc.record({ tickets: fc.integer({ min: 1, max: 5 }), used: fc.nat(4) }),
      initiate: withTicket,
    }),
    strangersWay('that ends at another time', {
      outcome: 'counts',
      choices: fc.integer({ min: -500, max: 10 ** 8 }),
      async initiate({ funding }, later) {
        const escrow = escrowOf(funding)
        send({ ...escrow, CancelAfter: escrow.CancelAfter + later })
      },
    }),
    strangersWay('twice, with other ends', {
      outcome: 'counts',
      choices: fc.record({ first: fc.integer({ min: -500, max: 500 }), second: fc.integer({ min: -500, max: 500 }) }),
      async initiate({ funding }, { first, second }) {
        const escrow = escrowOf(funding)
        for (const later of [first, second]) send({ ...escrow, CancelAfter: escrow.CancelAfter + later })
      },
    }),
    strangersWay('to an account with a tag', {
      outcome: 'counts',
      ...each(0, 1, 2 ** 32 - 1),
      agree: (terms, tag) => ({ ...terms, redeemer: classicAddressToXAddress(terms.redeemer, tag, true) }),
      initiate: async ({ funding }) => void send(escrowOf(funding)),
    }),
    strangersWay('that cannot be finished before a time', {
      outcome: 'never',
      choices: fc.integer({ min: -1000, max: 500 }),
      examples: [-700],
      async initiate({ funding }, later) {
        const escrow = escrowOf(funding)
        send({ ...escrow, FinishAfter: escrow.CancelAfter - 550 + later })
      },
    }),
    changed('with another tag', 'never', { choices: fc.record({ DestinationTag: fc.nat() }) }),
    strangersWay('with another form of the condition', {
      outcome: 'never',
      ...each('another cost', 'a longer length', 'another kind', 'bytes behind', 'none'),
      async initiate({ terms, funding }, form) {
        const condition = conditionOf(terms.secretHash)
        const { Condition: _, ...bare } = escrowOf(funding)
        const other = {
          'another cost': condition.replace(/20$/, '21'),
          'a longer length': condition.replace(/^A025/, 'A08125'),
          'another kind': condition.replace(/^A0/, 'A1'),
          'bytes behind': `${condition}00`,
        }
        send(form === 'none' ? bare : { ...bare, Condition: other[form as keyof typeof other] })
      },
    }),
    changed(
      'with an amount of a token',
      'never',
      each<Fields>(
        { Amount: { currency: USD, issuer: stranger.address, value: '25' } },
        { Amount: { mpt_issuance_id: '00'.repeat(24), value: '25000000' } },
      ),
    ),
    onlyWay('by another owner', 'never', async ({ funding }) => {
      send({ ...escrowOf(funding), Account: stranger.address }, stranger)
    }),
    onlyWay('of less', 'never', async ({ terms, funding }) => void send({ ...escrowOf(funding), Amount: (terms.amount - 1n).toString() })),
  ]
}

export function escrowOf(funding: Funding) {
  if (funding.kind !== 'escrow') throw new Error(`expected an escrow, got ${funding.kind}`)
  const { account: Account, destination: Destination, tag, amount, condition: Condition, cancelAfter: CancelAfter } = funding
  const Amount = amount.toString()
  return {
    TransactionType: 'EscrowCreate',
    Account,
    Destination,
    Amount,
    Condition,
    CancelAfter,
    ...(tag !== null && { DestinationTag: tag }),
  }
}
