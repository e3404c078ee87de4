/**
 * Checks a transaction that the user signed and that we pay for, before a lamport is spent.
 *
 * The transaction that we issue is a pure function of the order, our relay account, a blockhash and a price, so nothing is stored. We take
 * blockhash and price from the user's transaction, build the message again, and demand the same bytes. Our key signs no other message for a
 * user.
 */
import { ed25519 } from '@noble/curves/ed25519.js'
import {
  type Address,
  getAddressEncoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
  type Signature,
  type Transaction,
} from '@solana/kit'
import { AccountState } from '@solana-program/token'
import type { Gasless } from '@tandem/chain-kit/port/abilities/gasless.ts'
import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { accountOf, parseAddress } from '../terms/address.ts'
import { maxRelayPrice } from '../terms/fees/fees.ts'
import type { Contracts, HtlcContract } from '../terms/htlc.ts'
import { tokenAccountOf } from '../terms/instructions.ts'
import { type Issued, relayedTransaction, type UserSigned } from '../terms/relayed-transaction.ts'
import { parseMessage, wireOf } from '../terms/send/transaction.ts'
import { readHtlcState } from './contract-state.ts'
import { EXPIRED, type SolanaExecutor } from './execute.ts'
import { assertLamports } from './fees/funds.ts'
import type { SolanaNode } from './nodes/node.ts'
import { readTokenAccount } from './send/token-account.ts'
import { isBlockhashNotFound, reasonOf } from './send/transaction-failure.ts'

const MAX_BYTES = 1232

/** `relay` is the account that pays. Null means that gasless funding is not supported. */
export function createGasless(node: SolanaNode, contracts: Contracts, executor: SolanaExecutor, relay: Address | null): Gasless {
  async function parse(terms: HtlcTerms, signature: string, deadline: bigint | undefined) {
    if (deadline === undefined) throw new Error('the deadline of the order is part of what the user signs')
    const contract = contracts.of(terms.asset)
    if (relay === null || contract.mint === null)
      throw new TandemError('bad_request', `${terms.asset}: signatures are not supported for initiations; send versioned_tx`)
    const swap = { terms, deadline }
    return { contract, swap, feePayer: relay, signed: parseUserSigned(contract, swap, relay, signature) }
  }

  return {
    supports: (asset) => relay !== null && contracts.of(asset).mint !== null,
    async verify(terms, signature, deadline) {
      const { contract, swap, feePayer, signed } = await parse(terms, signature, deadline)
      await verifyInitiation(node, contract, feePayer, swap, signed)
    },
    async initiate(terms, signature, outbox, deadline) {
      if (accountOf(outbox.key) !== relay) throw new Error(`${accountOf(outbox.key)} does not relay: the relay is ${relay}`)
      const { contract, signed } = await parse(terms, signature, deadline).catch((error: unknown) => {
        if (error instanceof TandemError) throw new ChainFailure('would-fail', error.message, { cause: error, refusal: error.message })
        throw error
      })
      return executor.relay(contract, terms, signed, outbox)
    },
    spendable: (terms) => spendableOf(node, contracts.of(terms.asset), { terms }),
    async hasReverted(tx) {
      const outcome = await node.outcome(tx as Signature)
      return outcome !== null && outcome.error !== null
    },
  }
}

/** Throws `invalid_signature` unless this is the transaction that we issue, signed by the initiator alone. It sends no request. */
function parseUserSigned(contract: HtlcContract, swap: PrefundedSwap, relay: Address, text: string): UserSigned {
  const got = parseTransaction(text)
  const { blockhash, unitPrice } = issuedOf(got)
  if (unitPrice > maxRelayPrice()) throw refuse(`its priority fee is above the ${maxRelayPrice()} micro-lamports a unit that we pay`)
  const issued = relayedTransaction(contract, swap, relay, { blockhash, unitPrice })
  if (!isEqual(got.messageBytes, issued.transaction.messageBytes)) throw refuse(differenceOf(issued.transaction, got))
  const initiator = parseAddress(swap.terms.initiator)
  if (got.signatures[relay] !== null) throw refuse(`the signature of the fee payer ${relay} must be left empty`)
  const signature = got.signatures[initiator] ?? null
  if (signature === null) throw refuse(`the signature of ${initiator} is missing`)
  const key = Uint8Array.from(getAddressEncoder().encode(initiator))
  // Validators verify in this way too: no key or point may be of small order.
  if (!ed25519.verify(Uint8Array.from(signature), Uint8Array.from(got.messageBytes), key, { zip215: false }))
    throw refuse(`its signature is not by ${initiator} over this transaction`)
  return { transaction: got, instruction: issued.instruction }
}

/** Throws `bad_request` unless the initiation would succeed now, or the swap is initiated already. */
async function verifyInitiation(node: SolanaNode, contract: HtlcContract, relay: Address, swap: PrefundedSwap, signed: UserSigned) {
  const { terms } = swap
  if ((await readHtlcState(node, contract, terms)) !== 'absent') return
  const { spendable, problem } = await readInitiator(node, contract, swap)
  if (problem !== null) throw new TandemError('bad_request', problem)
  if (spendable < terms.amount)
    throw new TandemError(
      'bad_request',
      `${terms.initiator} holds ${spendable} of ${terms.asset}, the order needs ${terms.amount}: pay in the difference, then repeat this call`,
    )
  const { error } = await node.simulate(wireOf(signed.transaction))
  if (error === null) return
  // A relay that cannot pay is no fault of the user, so the error is no `bad_request`.
  await assertLamports(node, 'initiate', relay, [signed.instruction])
  throw new TandemError('bad_request', isBlockhashNotFound(error) ? EXPIRED : `the initiation would fail on the chain: ${reasonOf(error)}`)
}

/** The result is null for SOL, or if the swap is initiated already. */
async function spendableOf(node: SolanaNode, contract: HtlcContract, swap: Pick<PrefundedSwap, 'terms'>): Promise<bigint | null> {
  if (contract.mint === null || (await readHtlcState(node, contract, swap.terms)) !== 'absent') return null
  return (await readInitiator(node, contract, swap)).spendable
}

async function readInitiator(
  node: SolanaNode,
  { mint }: HtlcContract,
  { terms }: Pick<PrefundedSwap, 'terms'>,
): Promise<{ readonly spendable: bigint; readonly problem: string | null }> {
  if (mint === null) throw new Error('SOL is not held in token accounts')
  const initiator = parseAddress(terms.initiator)
  const account = tokenAccountOf(initiator, mint)
  const [found = null] = await node.accounts([account])
  const tokens = readTokenAccount(found)
  if (tokens === null) return { spendable: 0n, problem: null }
  if (tokens.owner !== initiator)
    return { spendable: 0n, problem: `the token account ${account} belongs to ${tokens.owner}, not to ${initiator}` }
  if (tokens.state === AccountState.Frozen) return { spendable: 0n, problem: `the token account ${account} of ${initiator} is frozen` }
  return { spendable: tokens.amount, problem: null }
}

function parseTransaction(text: string): Transaction {
  const bytes = parseBase64(text)
  try {
    // The message is all that follows the signatures, so nothing can hide behind its end.
    return getTransactionDecoder().decode(bytes)
  } catch {
    throw refuse('it is not a transaction')
  }
}

function parseBase64(text: string): Uint8Array {
  if (text.length > Math.ceil(MAX_BYTES / 3) * 4) throw refuse(`it is longer than ${MAX_BYTES} bytes`)
  if (text === '' || !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) throw refuse('it is not base64')
  return Uint8Array.from(getBase64Encoder().encode(text))
}

function issuedOf({ messageBytes }: Transaction): Issued {
  const compiled = decodeMessage(messageBytes)
  if (compiled.version !== 0) throw refuse('it is not of version 0')
  if ((compiled.addressTableLookups ?? []).length > 0) throw refuse('it uses address lookup tables')
  try {
    const { blockhash, budget } = parseMessage(messageBytes)
    return { blockhash, unitPrice: budget.unitPrice }
  } catch {
    throw refuse('its message is malformed')
  }
}

function decodeMessage(messageBytes: Transaction['messageBytes']) {
  try {
    return getCompiledTransactionMessageDecoder().decode(messageBytes)
  } catch {
    throw refuse('its message is malformed')
  }
}

/** The reader of the error sees where the message first differs from the one that we issue. */
function differenceOf(issued: Transaction, got: Transaction): string {
  const [expected, found] = [messageOf(issued), messageOf(got)]
  if (found.feePayer !== expected.feePayer) return `its fee payer is ${found.feePayer}, expected ${expected.feePayer}`
  const programs = (all: readonly Instruction[]) => all.map(({ programAddress }) => programAddress).join(', ')
  if (programs(found.instructions) !== programs(expected.instructions))
    return `it calls ${programs(found.instructions) || 'nothing'}, expected ${programs(expected.instructions)}`
  if (found.signers.join() !== expected.signers.join())
    return `its signers are ${found.signers.join(', ')}, expected ${expected.signers.join(', ')}`
  return 'it is not the versioned_tx_gasless of this order'
}

function messageOf({ messageBytes, signatures }: Transaction) {
  const signers = Object.keys(signatures)
  return { feePayer: signers[0], signers, instructions: parseMessage(messageBytes).instructions }
}

function isEqual(a: Transaction['messageBytes'], b: Transaction['messageBytes']): boolean {
  return Buffer.from(a).equals(Buffer.from(b))
}

function refuse(why: string): TandemError {
  return new TandemError('invalid_signature', `signature must be the signed versioned_tx_gasless of this order, in base64: ${why}`)
}
