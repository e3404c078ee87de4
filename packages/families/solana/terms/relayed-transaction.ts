/** Builds the transaction that the service issues for a gasless initiation. */
import type { Address, Blockhash, Instruction, Transaction } from '@solana/kit'
import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { parseAddress } from './address.ts'
import { fixedUnits } from './fees/fees.ts'
import type { HtlcContract } from './htlc.ts'
import { initiateInstruction } from './instructions.ts'
import { buildTransaction } from './send/transaction.ts'

/** The message has one instruction, and the user signs it. Only the signature of our key is missing then, which pays the fee. */
export type UserSigned = { readonly transaction: Transaction; readonly instruction: Instruction }

/** Two transactions for one order differ only in these values. */
export type Issued = { readonly blockhash: Blockhash; readonly unitPrice: bigint }

/** The relay pays fee and rent, and gets the rent back; the initiator pays the amount. */
export function relayedTransaction(contract: HtlcContract, { terms, deadline }: PrefundedSwap, relay: Address, issued: Issued): UserSigned {
  const funder = parseAddress(terms.initiator)
  const instruction = initiateInstruction(contract, terms, { funder, rentPayer: relay, initiateBefore: deadline })
  const transaction = buildTransaction([instruction], { ...issued, feePayer: relay, unitLimit: fixedUnits('initiate') })
  return { transaction, instruction }
}
