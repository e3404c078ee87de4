// Builds the program's instructions, with their accounts in the program's order.
import { type AccountMeta, AccountRole, type Address, type Instruction, type ReadonlyUint8Array } from '@solana/kit'
import { depositAddress, type OrderTerms, orderAddress, vaultAddress } from './addresses.ts'
import { initiateCodec, redeemCodec, returnCodec, tagCodec, tags } from './codecs.ts'
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

interface Sweep {
  /** The account pays the rent, gets it back when the order is closed, and signs. It may be anybody's. */
  readonly rentPayer: Address
  readonly deadline: bigint
}

/** Initiates the order with the lamports at its deposit address. */
export function initiateDepositedSol(program: Address, terms: SolTerms, { rentPayer, deadline }: Sweep): HtlcInstruction {
  return {
    programAddress: program,
    accounts: [
      writable(orderAddress(program, terms).address),
      writable(depositAddress(program, terms, deadline).address),
      { address: rentPayer, role: AccountRole.WRITABLE_SIGNER },
      writable(terms.initiator),
      readonly(systemProgram),
    ],
    data: initiateCodec.encode({ tag: tags.initiateDepositedSol, ...terms, initiateBefore: deadline }),
  }
}

/** `depositTokens` is the associated token account of the deposit address. */
export function initiateDepositedToken(
  program: Address,
  terms: TokenTerms,
  { rentPayer, deadline, depositTokens }: Sweep & { readonly depositTokens: Address },
): HtlcInstruction {
  const order = orderAddress(program, terms).address
  return {
    programAddress: program,
    accounts: [
      writable(order),
      writable(vaultAddress(order)),
      readonly(depositAddress(program, terms, deadline).address),
      { address: rentPayer, role: AccountRole.WRITABLE_SIGNER },
      readonly(terms.initiator),
      writable(depositTokens),
      readonly(terms.mint),
      readonly(tokenProgram),
      readonly(systemProgram),
    ],
    data: initiateCodec.encode({ tag: tags.initiateDepositedToken, ...terms, initiateBefore: deadline }),
  }
}

/** Who sends a return: the owner may at any time, anybody else only once the deposit cannot fund its order. */
export interface DepositReturn {
  readonly deadline: bigint
  readonly isSignedByInitiator: boolean
}

/** Pays all lamports of a deposit address to the initiator. */
export function returnSol(program: Address, terms: OrderTerms, { deadline, isSignedByInitiator }: DepositReturn): HtlcInstruction {
  return {
    programAddress: program,
    accounts: [
      readonly(orderAddress(program, terms).address),
      writable(depositAddress(program, terms, deadline).address),
      { address: terms.initiator, role: isSignedByInitiator ? AccountRole.WRITABLE_SIGNER : AccountRole.WRITABLE },
      readonly(systemProgram),
    ],
    data: returnData(tags.returnSol, terms, deadline),
  }
}

/** A token account of a deposit address, and the initiator's associated one for the same mint, which must exist. */
export interface ReturnedTokens {
  readonly tokens: Address
  readonly initiatorTokens: Address
  readonly mint: Address
  /** The mint belongs to this program: the classic one or Token-2022. */
  readonly tokenProgram: Address
}

/** Pays all tokens of the account to the initiator, whatever their mint, and closes the account. */
export function returnTokens(
  program: Address,
  terms: OrderTerms,
  { deadline, isSignedByInitiator }: DepositReturn,
  { tokens, initiatorTokens, mint, tokenProgram: ofMint }: ReturnedTokens,
): HtlcInstruction {
  return {
    programAddress: program,
    accounts: [
      readonly(orderAddress(program, terms).address),
      readonly(depositAddress(program, terms, deadline).address),
      { address: terms.initiator, role: isSignedByInitiator ? AccountRole.WRITABLE_SIGNER : AccountRole.WRITABLE },
      writable(tokens),
      writable(initiatorTokens),
      readonly(mint),
      readonly(ofMint),
    ],
    data: returnData(tags.returnTokens, terms, deadline),
  }
}

function returnData(tag: bigint, { mint, ...terms }: OrderTerms, deadline: bigint): ReadonlyUint8Array {
  return returnCodec.encode({ ...terms, tag, initiateBefore: deadline, mint: mint ?? systemProgram })
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
