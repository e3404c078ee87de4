/**
 * Sends the transactions of one account on one chain: see `contract/nonce-lane.ts`. The nonce is the account's sequence. Every transaction
 * names the last ledger that may hold it: once that is validated and the sequence is unused, it is expired, and its sequence is used
 * again.
 */
import type { Duty, Lane } from '@tandem/chain-kit/contract/lane.ts'
import type { NonceTypes } from '@tandem/chain-kit/contract/nonce-account.ts'
import { openNonceLane } from '@tandem/chain-kit/contract/nonce-lane.ts'
import { pastNonceGap } from '@tandem/chain-kit/contract/nonces.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { accountOf } from '../../terms/address.ts'
import { networkField } from '../../terms/network.ts'
import { reserveOf } from '../accounts.ts'
import { type Fees, raiseFees, suggestFees } from '../fees.ts'
import { verdictOn } from '../nodes/engine-result.ts'
import type { Account, Reserves, XrplNode } from '../nodes/node.ts'
import { newestOf } from '../nodes/shared-node.ts'
import { type Call, FINISH_UNITS, isSameCall, isSignedBy, noop, readAttempt, type Signed, signCall, unitsOf } from './transaction.ts'

export interface XrplTypes extends NonceTypes {
  readonly call: Call
  readonly signed: Signed
  /** The cost is in units of a plain transaction. */
  readonly cost: bigint
  readonly fees: Fees
}

/** A node's queue takes ten transactions of one account ("Transaction Queue" at xrpl.org); more wait in the open ledger. */
const MAX_IN_FLIGHT = 50n

type Seen = { readonly ledger: bigint; readonly account: Account; readonly reserves: Reserves }

export type OpenXrplLane = (outbox: Outbox, duty: Duty) => Promise<Lane<XrplTypes>>

export function createLanes(node: XrplNode, chain: Chain): OpenXrplLane {
  const network = networkField(chain)

  return async (outbox, duty) => {
    const address = accountOf(outbox.key)
    /** Expiry and use of a sequence must be read at the same ledger. It is null before the first read. */
    let seen: Seen | null = null
    let looking: Promise<Seen> | null = null

    async function look(): Promise<Seen> {
      const { height: ledger } = await newestOf(node)
      const [account, reserves] = await Promise.all([node.account(address, ledger), node.reserves()])
      if (account === null)
        throw new ChainFailure('would-fail', `the account ${address} does not exist on ${chain.id}: send the reserve and more to it first`)
      seen = { ledger, account, reserves }
      return seen
    }

    function lookAgain(): Promise<Seen> {
      looking = look()
      return looking
    }
    const lastLook = () => looking ?? lookAgain()
    /** An escrow takes its amount, and makes the reserve grow. */
    const lockedBy = (call: Call) => {
      if (call.TransactionType === 'Payment') return BigInt(call.Amount)
      return call.TransactionType === 'EscrowCreate' ? BigInt(call.Amount) + (seen?.reserves.increment ?? 0n) : 0n
    }

    return openNonceLane<XrplTypes>(
      {
        address,
        coin: duty.isObligatory ? 'drops' : 'drops above its reserve',
        noop,
        isNoop: (call) => call.TransactionType === noop.TransactionType,
        isSameCall,
        read: readAttempt,
        isOurs: async (signed) => isSignedBy(signed, outbox.key, { network }),
        sign(signer, { call, nonce, fees }) {
          if (seen !== null && nonce - seen.account.sequence > MAX_IN_FLIGHT)
            throw new ChainFailure('would-fail', `${address} has ${MAX_IN_FLIGHT} transactions in flight: nodes take few more`)
          return signCall(signer, { sequence: nonce, fees, network }, call)
        },
        partsOf: ({ call, fees }) => ({ cost: unitsOf(call), fees }),
        nextNonce: async () => (await lookAgain()).account.sequence,
        /** The chain takes fees out of the reserve, too, but nothing else. */
        async balance() {
          const { account, reserves } = await lastLook()
          return duty.isObligatory ? account.balance : account.balance - reserveOf(reserves, account.ownerCount)
        },
        isKnown: async (tx) => (await node.outcome(tx)) !== null,
        hidesUnmined: false,
        isExpired: ({ fees }) => seen !== null && fees.lastLedger <= seen.ledger,
        newestBlock: () => newestOf(node),
        broadcast: (signed, onPartlyAccepted) => broadcast(node, signed, onPartlyAccepted),
        suggestFees: async () => suggestFees(node, (await newestOf(node)).height, outbox.secondsLeft),
        raiseFees,
        isSameCost: (a, b) => a === b,
        surcharges: async () => () => 0n,
        highestCost: ({ call, cost, fees }) => cost * fees.perUnit + lockedBy(call),
        redeemCost: () => FINISH_UNITS,
      },
      chain,
      outbox,
      duty,
    )
  }
}

/**
 * No result says that the sequence is used: the lane would sign with the next one, and an escrow whose first transaction is validated
 * after all would be paid twice. The action is repeated instead, and proves first that its earlier attempts are impossible.
 * `onPartlyAccepted` is called when the quorum refuses it but a provider accepted it, or failed and may have accepted it: it may be
 * validated, and its content may be public.
 */
function broadcast(
  node: Pick<XrplNode, 'submit'>,
  { tx, blob, nonce }: Pick<Signed, 'tx' | 'blob' | 'nonce'>,
  onPartlyAccepted: () => void = () => undefined,
): Promise<'accepted' | 'underpriced'> {
  return pastNonceGap(async () => {
    const { result, isPartlyAccepted } = await node.submit(blob)
    if (isPartlyAccepted) onPartlyAccepted()
    switch (verdictOn(result)) {
      case 'accepted':
        return 'accepted'
      case 'low':
        return 'underpriced'
      case 'gap':
        return 'nonce-gap'
      case 'used':
        throw new ChainFailure('unreachable', `${tx}: another transaction has the sequence ${nonce}`)
      case 'trouble':
        throw new ChainFailure('unreachable', `the node cannot take ${tx} now: ${result}`)
      case 'refused':
        throw new ChainFailure('would-fail', `the node refused ${tx}: ${result}`)
    }
  })
}
