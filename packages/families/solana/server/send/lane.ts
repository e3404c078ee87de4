/**
 * Sends one signer's transactions on Solana. There are no nonces: a transaction is valid while its blockhash is one of the newest 150. So
 * none blocks another, none can be replaced, and the program refuses a repetition. An action signs again only after all of its attempts
 * have expired at a finalized block: a fork cannot make an old one valid again. A blockhash of a dropped fork is known to no node, and
 * expires like any other.
 */
import type { Signature } from '@solana/kit'
import type { Allocated, ContractTypes, Followed, Lane } from '@tandem/chain-kit/contract/lane.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { accountOf } from '../../terms/address.ts'
import { type SentVerb, unitPrice, withUnits } from '../../terms/fees/fees.ts'
import {
  attemptOf,
  buildTransaction,
  type ComputeBudget,
  feeOf,
  parseMessage,
  readAttempt,
  type SignedCall,
  type SolanaCall,
} from '../../terms/send/transaction.ts'
import { type Funds, isEnough, lamportsKept, lamportsTaken, shortOf } from '../fees/funds.ts'
import type { SolanaNode } from '../nodes/node.ts'
import { signTransaction } from './sign.ts'
import { asChainFailure } from './transaction-failure.ts'

export interface SolanaTypes extends ContractTypes {
  readonly call: SolanaCall
  readonly signed: SignedCall
  readonly cost: SolanaCost
  /** Another signature solves no refusal of a node: it has to wait for the expiry. */
  readonly refusal: never
}

export type SolanaCost = { readonly verb: SentVerb; readonly unitLimit: number }

/** No provider took the transaction: its blockhash has expired, is of a dropped fork, or they are behind. */
export class BlockhashUnknown extends ChainFailure {}

export async function openLane(node: SolanaNode, outbox: Outbox): Promise<Lane<SolanaTypes>> {
  const sender = accountOf(outbox.key)
  const attempts = outbox.attempts.map(readAttempt)
  const expired = await Promise.all(attempts.map(({ tx, expiresAfter }) => node.isExpired(tx as Signature, expiresAfter, 'finalized')))
  const live = attempts.filter((_, index) => expired[index] === false)
  let isPartlyAccepted = false

  const isMined = async (tx: string) => (await node.outcome(tx as Signature)) !== null

  async function broadcast({ tx, wire }: Pick<SignedCall, 'tx' | 'wire'>): Promise<'accepted'> {
    const verdict = await node.broadcast(wire)
    if (verdict.kind === 'accepted') return 'accepted'
    isPartlyAccepted ||= verdict.isPartlyAccepted
    if (verdict.kind === 'refused') throw asChainFailure(verdict.error, `the nodes refused ${tx}`, verdict.logs)
    // Other nodes may know the blockhash. A second transaction could cost twice, and this one expires soon.
    throw new BlockhashUnknown('unreachable', `nodes do not know the blockhash of ${tx}: another is signed once it has expired`)
  }

  async function follow(signed: SignedCall): Promise<Followed<SolanaTypes>> {
    // Whether a mined one did what its action needs, the executor asks: it may have settled an earlier order of the same terms.
    if (await isMined(signed.tx)) return { kind: 'over' }
    await broadcast(signed)
    return { kind: 'waits' }
  }

  /** Unmined transactions of the signer may still take at most this. Outcomes are read only if they matter. */
  async function readFunds(needed: bigint, unexpired: readonly SignedCall[]): Promise<Funds> {
    const reserveOf = (all: readonly SignedCall[]) =>
      all.reduce((sum, { call, feeLamports }) => sum + feeLamports + lamportsTaken(call.instructions, sender), 0n)
    const lamports = await node.balance(sender)
    const most = { account: sender, lamports, reserved: reserveOf(unexpired) }
    if (isEnough(most, needed)) return most
    const mined = await Promise.all(unexpired.map(({ tx }) => isMined(tx)))
    return { ...most, reserved: reserveOf(unexpired.filter((_, index) => mined[index] === false)) }
  }

  async function allocate(call: SolanaCall, { verb, unitLimit }: SolanaCost): Promise<Allocated<SolanaTypes>> {
    const previous = attempts.map(({ budget }) => budget.unitPrice).at(-1) ?? null
    const [lifetime, price] = await Promise.all([
      node.latestBlockhash(),
      call.userSigned === undefined ? unitPrice(node, verb, call.instructions, unitLimit, previous) : null,
    ])
    const budget: ComputeBudget = price === null ? budgetOf(call) : { unitLimit, unitPrice: price }
    const unsigned = call.userSigned ?? buildTransaction(call.instructions, { ...budget, feePayer: sender, blockhash: lifetime.blockhash })
    const needed = feeOf(unsigned, call.instructions, budget) + lamportsTaken(call.instructions, sender) + lamportsKept(verb)
    return outbox.withKey(async (held) => {
      const unexpired = await held.readOthers({ fromNonce: lifetime.lastValidBlockHeight - MAX_AGE })
      const funds = await readFunds(needed, unexpired.map(readAttempt))
      if (!isEnough(funds, needed)) throw shortOf(verb, funds, needed)
      // A user's blockhash is no newer than the newest, so the transaction expires no later.
      let attempt = attemptOf(await signTransaction(held.signer, unsigned), budget, lifetime.lastValidBlockHeight)
      // Two transfers of the same amount to one address would be one transaction.
      for (let more = 1; call.userSigned === undefined && unexpired.some(({ tx }) => tx === attempt.tx); more += 1) {
        const other = withUnits(verb, budget, budget.unitLimit + more)
        const another = buildTransaction(call.instructions, { ...other, feePayer: sender, blockhash: lifetime.blockhash })
        attempt = attemptOf(await signTransaction(held.signer, another), other, lifetime.lastValidBlockHeight)
      }
      if (attempts.some(({ tx }) => tx === attempt.tx)) throw new ChainFailure('would-fail', `${verb}: ${attempt.tx} has expired`)
      await held.record(attempt)
      return { signed: readAttempt({ ...attempt, at: outbox.now }), isNew: true }
    })
  }

  return {
    pending: live.toReversed(),
    async unmined() {
      const mined = await Promise.all(live.map(({ tx }) => isMined(tx)))
      return live.filter((_, index) => mined[index] === false)
    },
    findPending: async () => null,
    follow,
    broadcast,
    isPartlyAccepted: () => isPartlyAccepted,
    allocate,
    replacement: null,
  }
}

const MAX_AGE = 150n

function budgetOf({ userSigned }: SolanaCall): ComputeBudget {
  if (userSigned === undefined) throw new Error('only a transaction that the user signed has a budget already')
  return parseMessage(userSigned.messageBytes).budget
}
