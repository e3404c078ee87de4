/**
 * Shows how strangers initiate at our contract: payer, entry point, calldata and signature. The chain is a simulator with the contract in
 * TypeScript; the scenarios of packages/families/starknet/contract show that the Cairo contract does the same.
 */

import {
  type AgreedSwap,
  type ChoicesOf,
  each,
  type StrangersWay,
  strangersWay,
} from '@tandem/chain-kit/testing/strangers-initiation.fixture.ts'
import type { FeltCall } from '@tandem/protocol/funding/felt-calls.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import fc from 'fast-check'
import { type Felt, felt, selectorOf } from '../contract/client/felt.ts'
import { addressOfFelt } from '../terms/address.ts'
import { approvalCallOf, initiateCallOf, signedInitiateCallOf, typedDataOf } from '../terms/htlc.ts'
import type { FamilyFixture } from './starknet.fixture.ts'

/** If (r, s) is a signature, so is (r, order of the curve - s). */
const CURVE_ORDER = 0x800000000000010ffffffffffffffffb781126dcae7b2321e66a241adc64d2fn
/** The calldata of `initiate` is redeemer, timelock, amount (low, high), and eight words of the secret hash. */
const AT = { redeemer: 0, timelock: 1, low: 2, high: 3, words: 4 } as const
const U128 = 2n ** 128n

export function starknetWays({ devnet, contract, user, send, sign }: FamilyFixture): readonly StrangersWay[] {
  const [, , third] = devnet.accounts
  const stranger = { ...user, ...third, account: addressOfFelt(third.address) }
  const initiate = (
    terms: HtlcTerms,
    by: typeof user,
    change: (calldata: readonly Felt[]) => readonly Felt[] = (same) => same,
  ): FeltCall => {
    const call = initiateCallOf(contract, terms, by.account)
    return { ...call, calldata: change(call.calldata) }
  }
  const paid = (terms: HtlcTerms, by: typeof user, call = initiate(terms, by)) => send(by, [approvalCallOf(contract, terms.amount), call])
  const changed = (name: string, choices: ChoicesOf<{ readonly at: number; readonly add: bigint }>) =>
    strangersWay(name, {
      outcome: 'never',
      ...choices,
      async initiate({ terms }, { at, add }) {
        const change = (calldata: readonly Felt[]) => calldata.map((value, i) => (i === at ? felt(BigInt(value) + add) : value))
        paid(terms, user, initiate(terms, user, change))
      },
    })
  const signatureOf = ({ terms }: AgreedSwap) =>
    sign(user, typedDataOf(contract, terms))
      .split(',')
      .map((part) => BigInt(part))
  /** The user approves, and the stranger sends. */
  async function relayed({ terms }: AgreedSwap, signature: readonly bigint[]): Promise<void> {
    send(user, [approvalCallOf(contract, terms.amount)])
    devnet.chain.mine()
    send(stranger, [signedInitiateCallOf(contract, terms, signature.map(felt))])
    devnet.chain.mine()
  }

  return [
    strangersWay('paid by another account', {
      outcome: 'counts',
      choices: fc.constant(null),
      initiate: async ({ terms }) => paid(terms, stranger),
    }),
    strangersWay('on behalf of the sender itself', {
      outcome: 'counts',
      choices: fc.constant(null),
      initiate: async ({ terms }) => paid(terms, user, initiate(terms, stranger)),
    }),
    strangersWay('among others in one transaction', {
      outcome: 'counts',
      choices: fc.record({ before: fc.nat(3), after: fc.nat(3) }),
      async initiate({ terms }, { before, after }) {
        const all = Array.from({ length: before + after + 1 }, (_, i) => terms.amount + BigInt(i === before ? 0 : i + 1))
        const orders = all.map((amount) => ({ ...terms, amount }))
        send(user, [
          approvalCallOf(
            contract,
            all.reduce((sum, amount) => sum + amount, 0n),
          ),
          ...orders.map((order) => initiate(order, user)),
        ])
      },
    }),
    strangersWay('after tokens were sent to the contract', {
      outcome: 'counts',
      choices: fc.bigInt(1n, 1000n),
      async initiate({ terms }, amount) {
        send(stranger, [{ to: contract.token, selector: selectorOf('transfer'), calldata: [contract.address, felt(amount), '0x0'] }])
        paid(terms, user)
      },
    }),
    strangersWay('by a signature that somebody else sends', {
      outcome: 'counts',
      choices: fc.constant(null),
      initiate: async (swap) => relayed(swap, signatureOf(swap)),
    }),
    strangersWay('by a signature in another form', {
      outcome: 'may',
      ...each('the other half of the curve', 'a felt more', 'a felt less', 'none'),
      async initiate(swap, form) {
        const [r = 0n, s = 0n] = signatureOf(swap)
        const others = { 'the other half of the curve': [r, CURVE_ORDER - s], 'a felt more': [r, s, 0n], 'a felt less': [r], none: [] }
        await relayed(swap, others[form as keyof typeof others])
      },
    }),
    strangersWay('with felts after the call', {
      outcome: 'never',
      choices: fc.array(fc.bigInt(0n, U128), { minLength: 1, maxLength: 3 }),
      initiate: async ({ terms }, more) =>
        paid(
          terms,
          user,
          initiate(terms, user, (calldata) => [...calldata, ...more.map(felt)]),
        ),
    }),
    changed('with words of more than 32 bits', {
      choices: fc.record({ at: fc.integer({ min: AT.words, max: AT.words + 7 }), add: fc.constantFrom(2n ** 32n, U128) }),
    }),
    changed('with an amount of other limbs', each({ at: AT.high, add: 1n }, { at: AT.high, add: U128 }, { at: AT.low, add: U128 })),
    changed('with a timelock of more than 128 bits', each({ at: AT.timelock, add: U128 }, { at: AT.timelock, add: 2n ** 200n })),
    changed('with another redeemer', { choices: fc.record({ at: fc.constant(AT.redeemer), add: fc.bigInt(1n, 1000n) }) }),
  ]
}
