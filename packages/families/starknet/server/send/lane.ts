/** Sends the transactions of one account on one Starknet chain: see `contract/nonce-lane.ts`. */

import type { Duty, Lane } from '@tandem/chain-kit/contract/lane.ts'
import type { NonceTypes } from '@tandem/chain-kit/contract/nonce-account.ts'
import { openNonceLane } from '@tandem/chain-kit/contract/nonce-lane.ts'
import type { SenderProblem } from '@tandem/chain-kit/port/abilities/reading.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Felt, selectorOf } from '../../contract/client/felt.ts'
import { feltOf } from '../../terms/address.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import { chainIdOf } from '../../terms/htlc.ts'
import { accountOf } from '../account.ts'
import type { ContractState } from '../contract-state.ts'
import { type Fees, highestFee, raiseFees, suggestFees } from '../fees/fees.ts'
import { usualRedeemGas } from '../fees/gas.ts'
import type { GasAmounts, NodeCall, StarknetNode } from '../nodes/node.ts'
import { broadcast } from './broadcast.ts'
import { feeTokenOf } from './gift.ts'
import { isSameCall, isSignedBy, type Multicall, noopCall, readAttempt, type Signed, signInvoke } from './transaction.ts'

export interface StarknetTypes extends NonceTypes {
  readonly call: Multicall
  readonly signed: Signed
  readonly cost: GasAmounts
  readonly fees: Fees
}

/** Sequencers take nonces up to 200 ahead of the account's. */
const MAX_IN_FLIGHT = 150n

export type OpenStarknetLane = (outbox: Outbox, duty: Duty) => Promise<Lane<StarknetTypes>>

export function createLanes(
  node: StarknetNode,
  chain: Chain,
  state: Pick<ContractState, 'tokenBalance'>,
  onTrouble: (what: string) => void,
): OpenStarknetLane {
  const { accountClass } = starknetDataOf(chain)
  const feeToken = feltOf(starknetDataOf(chain).feeToken)
  const chainId = chainIdOf(chain)
  const deployed = new Set<Felt>()
  const reportRejection = createRejectionReport(chain, onTrouble)

  /** One read for each account suffices: a deployed one stays deployed. */
  async function assertDeployed(sender: Felt, address: string): Promise<void> {
    if (deployed.has(sender)) return
    const problem = await findSenderProblem(node, chain, address)
    if (problem !== null) throw new ChainFailure('would-fail', `${problem.text}: ${problem.advice}`)
    deployed.add(sender)
  }

  return async (outbox, duty) => {
    const address = accountOf(outbox.key, accountClass)
    const sender = feltOf(address)
    const noop = noopCall(feeToken, sender)
    let next = 0n
    const nextNonce = async () => {
      next = await node.nonce(sender)
      return next
    }
    const opening = openNonceLane<StarknetTypes>(
      {
        address,
        coin: feeTokenOf(chain),
        noop,
        isNoop: (call) => isSameCall(call, noop),
        isSameCall,
        read: readAttempt,
        isOurs: async (signed) => isSignedBy(signed, outbox.key, { chainId, sender }),
        sign(signer, { call, nonce, cost, fees }) {
          if (nonce - next > MAX_IN_FLIGHT)
            throw new ChainFailure('would-fail', `${address} has ${MAX_IN_FLIGHT} transactions in flight: sequencers take few more`)
          return signInvoke(signer, { chainId, sender, nonce, gas: cost, fees }, call)
        },
        partsOf: ({ gas, fees }) => ({ cost: gas, fees }),
        nextNonce,
        balance: () => state.tokenBalance(feeToken, sender),
        // A transaction that the sequencer rejected is unknown: it may be sent again unchanged.
        async isKnown(tx) {
          const outcome = await node.outcome(tx)
          if (outcome?.kind === 'rejected') reportRejection(tx, outcome.reason)
          return outcome !== null && outcome.kind !== 'rejected'
        },
        hidesUnmined: false,
        newestBlock: () => node.block('latest'),
        broadcast: (signed, onPartlyAccepted) => broadcast(node, signed, nextNonce, onPartlyAccepted),
        suggestFees: () => suggestFees(node, chain),
        raiseFees: (fees, suggested, bump) => raiseFees(chain, fees, suggested, bump),
        isSameCost: (a, b) => a.l1Gas === b.l1Gas && a.l1DataGas === b.l1DataGas && a.l2Gas === b.l2Gas,
        // Only the gas is charged.
        surcharges: async () => () => 0n,
        highestCost: ({ call, cost, fees }) => highestFee(cost, fees) + call.calls.reduce((sum, one) => sum + spentBy(one, feeToken), 0n),
        // Where data takes L1 gas, that of an initiation takes about as much.
        redeemCost: ({ l1Gas }) => ({ ...usualRedeemGas, l1Gas }),
      },
      chain,
      outbox,
      duty,
    )
    const [lane] = await Promise.all([opening, assertDeployed(sender, address)])
    return lane
  }
}

const MAX_REPORTED = 1_000

/** Each transaction is reported once. Rejected ones leave no trace on the chain: only the node knows the reason. */
function createRejectionReport({ id }: Chain, onTrouble: (what: string) => void): (tx: string, reason: string) => void {
  const reported = new Set<string>()
  return (tx, reason) => {
    if (reported.has(tx)) return
    const [oldest] = reported
    if (reported.size >= MAX_REPORTED && oldest !== undefined) reported.delete(oldest)
    reported.add(tx)
    onTrouble(`${id}: the sequencer rejected our transaction ${tx}: ${reason}`)
  }
}

export async function findSenderProblem(
  node: Pick<StarknetNode, 'classHashAt'>,
  chain: Chain,
  address: string,
): Promise<SenderProblem | null> {
  if ((await node.classHashAt(feltOf(address))) !== null) return null
  const { accountClass } = starknetDataOf(chain)
  const byWallet = `deploy class ${accountClass} with any wallet: the public key is the salt and the only argument`
  return {
    text: `the account ${address} is not deployed on ${chain.id}, and cannot send anything`,
    advice: `send STRK to it, and run \`tandem deploy --chain ${chain.id}\` with its key (or ${byWallet})`,
  }
}

/** Both have an address and an amount. */
const spending: ReadonlySet<Felt> = new Set([selectorOf('approve'), selectorOf('transfer')])

/** An initiation in the fee token takes its amount from the balance that pays the fee, and so does what a payout gives beside its token. */
function spentBy({ to, selector, calldata }: NodeCall, feeToken: Felt): bigint {
  if (to !== feeToken || !spending.has(selector)) return 0n
  const [, low = '0x0', high = '0x0'] = calldata
  return BigInt(low) + (BigInt(high) << 128n)
}
