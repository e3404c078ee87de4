/**
 * The transactions of one account on one chain: see `contract/nonce-lane.ts`. The nonce is the account's sequence. Every transaction names the last ledger
 * that may hold it: once that is validated and the sequence is unused, it is expired, and its sequence is used again.
 */
import type { Chain } from '../../../protocol/chain.ts'
import type { Duty, Lane } from '../../contract/lane.ts'
import { type NonceTypes, openNonceLane } from '../../contract/nonce-lane.ts'
import { ChainFailure } from '../../port/failure.ts'
import type { Outbox } from '../../port/outbox.ts'
import { accountOf } from '../address.ts'
import { reserveOf } from '../balances.ts'
import { type Fees, raiseFees, suggestFees } from '../fees.ts'
import { networkField } from '../network.ts'
import type { Account, XrplNode } from '../nodes/node.ts'
import { newestOf } from '../nodes/shared-node.ts'
import { broadcast } from './broadcast.ts'
import { type Call, isSameCall, noop, readAttempt, type Signed, signCall, unitsOf } from './transaction.ts'

export interface XrplTypes extends NonceTypes {
  readonly call: Call
  readonly signed: Signed
  /** In units of a plain transaction. */
  readonly cost: bigint
  readonly fees: Fees
}

/** A node's queue takes ten transactions of one account ("Transaction Queue" at xrpl.org); more wait in the open ledger. */
const MAX_IN_FLIGHT = 50n

export type OpenXrplLane = (outbox: Outbox, duty: Duty) => Promise<Lane<XrplTypes>>

export function createLanes(node: XrplNode, chain: Chain): OpenXrplLane {
  const network = networkField(chain)

  return async (outbox, duty) => {
    const address = accountOf(outbox.key)
    /** Of one ledger: whether a transaction is expired and whether its sequence is used must be seen at the same. Null before the first look. */
    let seen: { readonly ledger: bigint; readonly account: Account } | null = null
    let looking: Promise<Account> | null = null

    async function look(): Promise<Account> {
      const { height: ledger } = await newestOf(node)
      const account = await node.account(address, ledger)
      if (account === null)
        throw new ChainFailure('would-fail', `the account ${address} does not exist on ${chain.id}: send the reserve and more to it first`)
      seen = { ledger, account }
      return account
    }

    function lookAgain(): Promise<Account> {
      looking = look()
      return looking
    }
    const lastLook = () => looking ?? lookAgain()

    return openNonceLane<XrplTypes>(
      {
        address,
        coin: 'drops',
        noop,
        isNoop: (call) => call.TransactionType === noop.TransactionType,
        isSameCall,
        read: readAttempt,
        sign(signer, { call, nonce, fees }) {
          if (seen !== null && nonce - seen.account.sequence > MAX_IN_FLIGHT)
            throw new ChainFailure('would-fail', `${address} has ${MAX_IN_FLIGHT} transactions in flight: nodes take few more`)
          return signCall(signer, { sequence: nonce, fees, network }, call)
        },
        partsOf: ({ call, fees }) => ({ cost: unitsOf(call), fees }),
        nextNonce: async () => (await lookAgain()).sequence,
        balance: async () => (await lastLook()).balance,
        isKnown: async (tx) => (await node.outcome(tx)) !== null,
        hidesUnmined: false,
        isExpired: ({ fees }) => seen !== null && fees.lastLedger <= seen.ledger,
        newestBlock: () => newestOf(node),
        broadcast: (signed, onPartlyAccepted) => broadcast(node, signed, onPartlyAccepted),
        suggestFees: async () => suggestFees(node, (await newestOf(node)).height, outbox.secondsLeft),
        raiseFees,
        isSameCost: (a, b) => a === b,
        /** Fees may be paid out of the reserve. An escrow may not, and it needs a reserve of its own. */
        async surchargeOf(call) {
          if (call.TransactionType !== 'EscrowCreate') return 0n
          const [{ ownerCount }, reserves] = await Promise.all([lastLook(), node.reserves()])
          return BigInt(call.Amount) + reserveOf(reserves, ownerCount + 1n)
        },
        highestCost: ({ cost, fees }) => cost * fees.perUnit,
      },
      chain,
      outbox,
      duty,
    )
  }
}
