/** Simulates transactions of the HTLC program and sets their compute budget. The order of steps is in `contract/execute.ts`. */

import type { Address, Blockhash, Instruction, Signature } from '@solana/kit'
import { assertSecret, type ContractAction } from '@tandem/chain-kit/contract/action.ts'
import type { HtlcExecutor } from '@tandem/chain-kit/contract/client.ts'
import { createContractExecutor } from '@tandem/chain-kit/contract/execute.ts'
import type { ContractFamily, SideCall } from '@tandem/chain-kit/contract/family.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { min } from '@tandem/protocol/bigint.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { decodeInstruction, type OrderEvent } from '../contract/client/decode.ts'
import { accountOf, parseAddress } from '../terms/address.ts'
import { fixedUnits, SIMULATION_UNITS, unitsFrom } from '../terms/fees/fees.ts'
import type { HtlcContract } from '../terms/htlc.ts'
import {
  type Consent,
  creationFor,
  initiateInstruction,
  instantRefundInstructions,
  redeemInstructions,
  refundInstructions,
  tokenAccountOf,
} from '../terms/instructions.ts'
import type { UserSigned } from '../terms/relayed-transaction.ts'
import { buildTransaction, readAttempt, type SolanaCall, wireOf } from '../terms/send/transaction.ts'
import { readHtlcState } from './contract-state.ts'
import { assertLamports } from './fees/funds.ts'
import type { SolanaNode } from './nodes/node.ts'
import { openLane, type SolanaCost, type SolanaTypes } from './send/lane.ts'
import { assertPayable, type Payout, readPayout, toExistingAccount } from './send/payout.ts'
import { gasInstructions } from './send/payout-gas.ts'
import { asChainFailure, isBlockhashNotFound } from './send/transaction-failure.ts'

type Action = ContractAction<SolanaCall> & {
  readonly contract: HtlcContract
  readonly payout?: Payout
}

type Step = Action | SideCall<SolanaTypes>

export interface SolanaExecutor extends HtlcExecutor<HtlcContract> {
  relay(contract: HtlcContract, terms: HtlcTerms, signed: UserSigned, outbox: Outbox): Promise<string>
  /** Locks what lies at the deposit address; we pay the rent. */
  initiateDeposited(contract: HtlcContract, terms: HtlcTerms, instruction: Instruction, outbox: Outbox): Promise<string>
  /** The redeemer's consent was verified. */
  refundInstantly(contract: HtlcContract, terms: HtlcTerms, consent: Consent, outbox: Outbox): Promise<string>
}

/** Our own initiation may be mined for this long. A longer time would keep the rent of the order locked. */
const INITIATE_SECONDS = 3_600n
/** An initiation with less time left would not be mined before its deadline. */
const MIN_INITIATE_SECONDS = 5n

const anyBlockhash = '11111111111111111111111111111111' as Blockhash

export const EXPIRED = 'the blockhash of the signed transaction has expired: GET /orders/{order_id}/funding returns a fresh one to sign'

/** A relayed transaction fails with this error: only the user can sign it again, with a fresh blockhash. */
class BlockhashExpired extends ChainFailure {}

export function createExecutor(node: SolanaNode): SolanaExecutor {
  const { send, cancelUnmined } = createContractExecutor(familyOf(node))

  return {
    async initiate(contract, terms, outbox) {
      const sender = accountOf(outbox.key)
      const initiateBefore = await chooseInitiateBefore(node, outbox)
      const redeemer = parseAddress(terms.redeemer)
      const { lacksAccount } = await readPayout(node, contract, terms, redeemer)
      const instructions = [
        // The initiator pays for the account that receives the money: a quote charges for it, and nobody pays the sender of the redeem.
        ...(lacksAccount ? creationFor(contract, redeemer, sender) : []),
        initiateInstruction(contract, terms, { funder: sender, rentPayer: sender, initiateBefore }),
      ]
      return send({ verb: 'initiate', contract, terms, call: { instructions }, paysAmount: true }, outbox)
    },
    async relay(contract, terms, { transaction, instruction }, outbox) {
      const call = { instructions: [instruction], userSigned: transaction }
      try {
        return await send({ verb: 'initiate', contract, terms, call, paysAmount: false }, outbox)
      } catch (error) {
        const last = outbox.attempts.at(-1)
        if (!(error instanceof BlockhashExpired) || last === undefined) throw error
        throw new ChainFailure(error.kind, error.message, { cause: error, expiredTx: last.tx, refusal: error.message })
      }
    },
    initiateDeposited: (contract, terms, instruction, outbox) =>
      send({ verb: 'initiate', contract, terms, call: { instructions: [instruction] }, paysAmount: false }, outbox),
    async redeem(contract, terms, secret, outbox, gas) {
      assertSecret(secret, terms)
      const sender = accountOf(outbox.key)
      const payout = await payoutBy(sender, contract, terms, terms.redeemer)
      const instructions = [
        ...redeemInstructions(contract, terms, secret, payout.lacksAccount ? sender : null),
        ...(gas === undefined ? [] : await gasInstructions(node, { sender, recipient: parseAddress(terms.redeemer), gas })),
      ]
      return send({ verb: 'redeem', contract, terms, call: { instructions }, paysAmount: false, payout }, outbox)
    },
    async refund(contract, terms, outbox) {
      const sender = accountOf(outbox.key)
      const payout = await payoutBy(sender, contract, terms, terms.initiator)
      const instructions = refundInstructions(contract, terms, payout.lacksAccount ? sender : null)
      return send({ verb: 'refund', contract, terms, call: { instructions }, paysAmount: false, payout }, outbox)
    },
    async refundInstantly(contract, terms, consent, outbox) {
      const sender = accountOf(outbox.key)
      const payout = await payoutBy(sender, contract, terms, terms.initiator)
      const instructions = instantRefundInstructions(contract, terms, consent, payout.lacksAccount ? sender : null)
      return send({ verb: 'refund', contract, terms, call: { instructions }, paysAmount: false, payout }, outbox)
    },
    cancelUnmined,
  }

  /** Our own account need not be read: the transaction creates it if it is missing, and others' payments change it all the time. */
  async function payoutBy(sender: Address, contract: HtlcContract, terms: HtlcTerms, payee: string): Promise<Payout> {
    if (payee === sender) return { obstacle: null, lacksAccount: contract.mint !== null }
    return toExistingAccount(await readPayout(node, contract, terms, parseAddress(payee)))
  }
}

function familyOf(node: SolanaNode): ContractFamily<SolanaTypes, Action> {
  async function estimate(step: Step, sender: string): Promise<SolanaCost> {
    if (!('terms' in step)) throw new Error(`a transaction on Solana needs no ${step.verb}`)
    const { verb, call, payout, terms } = step
    const feePayer = parseAddress(sender)
    if (payout !== undefined) assertPayable(payout, verb === 'redeem' ? terms.redeemer : terms.initiator)
    const { userSigned } = call
    const budget = { unitLimit: SIMULATION_UNITS, unitPrice: 0n }
    const transaction = userSigned ?? buildTransaction(call.instructions, { ...budget, feePayer, blockhash: anyBlockhash })
    const { error, logs, unitsConsumed } = await node.simulate(wireOf(transaction), { replaceBlockhash: userSigned === undefined })
    if (error === null) return { verb, unitLimit: unitsFrom(unitsConsumed) }
    if (userSigned !== undefined && isBlockhashNotFound(error)) throw new BlockhashExpired('would-fail', `${verb}: ${EXPIRED}`)
    await assertLamports(node, verb, feePayer, call.instructions)
    throw asChainFailure(error, verb, logs)
  }

  return {
    senderOf: accountOf,
    read: async (attempt) => readAttempt(attempt),
    isOwn: () => true,
    // The same terms may be initiated again after the close of their order. A settlement of the closed one then left this one open.
    mayDoNothing: ({ instructions }) => eventsOf(instructions).some(({ kind }) => kind === 'redeemed' || kind === 'refunded'),
    htlcState: ({ contract, terms }) => readHtlcState(node, contract, terms),
    async outcome(tx) {
      const outcome = await node.outcome(tx as Signature)
      return outcome === null ? null : outcome.error === null ? 'success' : 'reverted'
    },
    openLane: (outbox) => openLane(node, outbox),
    sortReverts: async (_, reverted) => ({ all: reverted, byOthers: reverted, atFeeCap: [] }),
    /** Tokens need no approval, because the funder signs. */
    async approvals({ verb, contract, terms, call }, sender) {
      const account = parseAddress(sender)
      await assertLamports(node, verb, account, call.instructions)
      if (contract.mint === null) return []
      const held = await node.tokenBalance(tokenAccountOf(account, contract.mint))
      if (held < terms.amount)
        throw new ChainFailure('would-fail', `${verb}: ${sender} holds ${held} of ${terms.asset}, and needs ${terms.amount}`)
      return []
    },
    // `estimate` has simulated the call already.
    simulate: async () => undefined,
    estimate,
    async tryPayout({ payout, terms }) {
      if (payout === undefined) throw new Error('a redeem without the state of its payee')
      assertPayable(payout, terms.redeemer)
      return { verb: 'redeem', unitLimit: fixedUnits('redeem', payout.lacksAccount) }
    },
    // The fixed units are enough for every redeem.
    simulatesOwnRedeem: false,
    queuedCost: null,
  }
}

/**
 * All attempts of one action name the same time, so that only one of them can be mined: see the program's README on replay. Once that time
 * has passed, none of them can be mined, and another time may be named.
 */
async function chooseInitiateBefore(node: SolanaNode, { attempts, secondsLeft }: Outbox): Promise<bigint> {
  const tip = await node.block('latest')
  if (tip === null) throw new ChainFailure('unreachable', 'the node has no newest block')
  const named = attempts.map((attempt) => initiateBeforeOf(readAttempt(attempt).call)).at(-1)
  if (named !== undefined && named > tip.time) return named
  const left = min(secondsLeft ?? INITIATE_SECONDS, INITIATE_SECONDS)
  if (left < MIN_INITIATE_SECONDS) throw new ChainFailure('would-fail', 'initiate: too close to its deadline')
  return tip.time + left
}

function initiateBeforeOf({ instructions }: SolanaCall): bigint {
  for (const event of eventsOf(instructions)) if (event.kind === 'initiated') return event.initiateBefore
  throw new Error('a recorded initiation without an instruction that initiates')
}

function eventsOf(instructions: readonly Instruction[]): readonly OrderEvent[] {
  return instructions.flatMap(({ programAddress, accounts = [], data = new Uint8Array() }) => {
    const executed = { programAddress, accounts: accounts.map(({ address }) => address), data }
    return decodeInstruction(programAddress, executed) ?? []
  })
}
