// Builds the program's instructions, with their accounts in the program's order.
import { type AccountMeta, AccountRole, type Address, type Instruction, type ReadonlyUint8Array } from '@solana/kit'
import { type OrderTerms, orderAddress, vaultAddress } from './addresses.ts'
import { initiateCodec, redeemCodec, tagCodec, tags } from './codecs.ts'
import { instructionsSysvar, systemProgram, tokenProgram } from './programs.ts'

export type HtlcInstruction = Instruction & { readonly accounts: readonly AccountMeta[]; readonly data: ReadonlyUint8Array }

type SolTerms = OrderTerms & { readonly mint: null }
type TokenTerms = OrderTerms & { readonly mint: Address }

interface Initiation {
  readonly funder: Address
  /** This account pays the rent, gets it back when the order is closed, and signs. */
  readonly rentPayer: Address
  /**
   * The instruction fails from this time on, in unix seconds. All transactions that are signed for one order must name the same time: the
   * account of a settled order stays until then, and none of them can initiate it again.
   */
  readonly initiateBefore: bigint
}

export function initiateSol(program: Address, terms: SolTerms, { funder, rentPayer, initiateBefore }: Initiation): HtlcInstruction {
  return {
    programAddress: program,
    accounts: [
      writable(orderAddress(program, terms).address),
      { address: funder, role: AccountRole.WRITABLE_SIGNER },
      { address: rentPayer, role: AccountRole.WRITABLE_SIGNER },
      readonly(terms.initiator),
      readonly(systemProgram),
    ],
    data: initiateCodec.encode({ tag: tags.initiateSol, ...terms, initiateBefore }),
  }
}

export function initiateToken(
  program: Address,
  terms: TokenTerms,
  { funder, rentPayer, initiateBefore, funderTokens }: Initiation & { readonly funderTokens: Address },
): HtlcInstruction {
  const order = orderAddress(program, terms).address
  return {
    programAddress: program,
    accounts: [
      writable(order),
      writable(vaultAddress(order)),
      { address: funder, role: AccountRole.READONLY_SIGNER },
      { address: rentPayer, role: AccountRole.WRITABLE_SIGNER },
      readonly(terms.initiator),
      writable(funderTokens),
      readonly(terms.mint),
      readonly(tokenProgram),
      readonly(systemProgram),
    ],
    data: initiateCodec.encode({ tag: tags.initiateToken, ...terms, initiateBefore }),
  }
}

export function redeemSol(program: Address, order: Address, redeemer: Address, secret: ReadonlyUint8Array): HtlcInstruction {
  return {
    programAddress: program,
    accounts: [writable(order), writable(redeemer)],
    data: redeemCodec.encode({ tag: tags.redeemSol, secret }),
  }
}

export function redeemToken(program: Address, order: Address, redeemerTokens: Address, secret: ReadonlyUint8Array): HtlcInstruction {
  return {
    programAddress: program,
    accounts: tokenPayment(order, redeemerTokens),
    data: redeemCodec.encode({ tag: tags.redeemToken, secret }),
  }
}

export function refundSol(program: Address, order: Address, initiator: Address): HtlcInstruction {
  return { programAddress: program, accounts: [writable(order), writable(initiator)], data: tagCodec.encode({ tag: tags.refundSol }) }
}

export function refundToken(program: Address, order: Address, initiatorTokens: Address): HtlcInstruction {
  return {
    programAddress: program,
    accounts: tokenPayment(order, initiatorTokens),
    data: tagCodec.encode({ tag: tags.refundToken }),
  }
}

/** `permission` is the redeemer, which signs the transaction, or the Instructions sysvar: the instruction before is then `consentInstruction`. */
export function instantRefundSol(program: Address, order: Address, initiator: Address, permission: Address): HtlcInstruction {
  return {
    programAddress: program,
    accounts: [writable(order), writable(initiator), permissionBy(permission)],
    data: tagCodec.encode({ tag: tags.instantRefundSol }),
  }
}

/** See `instantRefundSol`. */
export function instantRefundToken(program: Address, order: Address, initiatorTokens: Address, permission: Address): HtlcInstruction {
  return {
    programAddress: program,
    accounts: [...tokenPayment(order, initiatorTokens), permissionBy(permission)],
    data: tagCodec.encode({ tag: tags.instantRefundToken }),
  }
}

/** Anyone may return the rent of a settled order, from `initiateBefore` on. */
export function closeOrder(program: Address, order: Address, rentPayer: Address): HtlcInstruction {
  return { programAddress: program, accounts: [writable(order), writable(rentPayer)], data: tagCodec.encode({ tag: tags.close }) }
}

function tokenPayment(order: Address, payeeTokens: Address): readonly AccountMeta[] {
  return [writable(order), writable(vaultAddress(order)), writable(payeeTokens), readonly(tokenProgram)]
}

function writable(address: Address): AccountMeta {
  return { address, role: AccountRole.WRITABLE }
}

function readonly(address: Address): AccountMeta {
  return { address, role: AccountRole.READONLY }
}

function permissionBy(address: Address): AccountMeta {
  return address === instructionsSysvar ? readonly(address) : signer(address)
}

function signer(address: Address): AccountMeta {
  return { address, role: AccountRole.READONLY_SIGNER }
}
