// Applies one transaction to a ledger (rippled, Transactor.cpp): first the checks of every transaction, then those of its type.
import { accountFlags, ticketKey } from '../ledger/entries.ts'
import { type AffectedNode, threadChanges } from '../ledger/metadata.ts'
import { accountOf, addBalance, type Changes, changeAccount, createView, type Reader, type View } from '../ledger/view.ts'
import { accountSet, setRegularKey } from './account-settings.ts'
import { depositPreauth } from './deposit-preauth.ts'
import { escrowCancel, escrowCreate, escrowFinish } from './escrow.ts'
import { payment } from './payment.ts'
import { isApplied, type ResultCode } from './result-codes.ts'
import type { SignedTransaction } from './signed-transaction.ts'
import type { TransactionType } from './templates.ts'
import { spendTicket, ticketCreate } from './tickets.ts'
import type { Rules, Transactor } from './transactor.ts'

export type Outcome =
  | { readonly result: ResultCode; readonly isApplied: false }
  | { readonly result: ResultCode; readonly isApplied: true; readonly changes: Changes; readonly nodes: readonly AffectedNode[] }

const transactors: Readonly<Record<TransactionType, Transactor>> = {
  Payment: payment,
  EscrowCreate: escrowCreate,
  EscrowFinish: escrowFinish,
  EscrowCancel: escrowCancel,
  AccountSet: accountSet,
  SetRegularKey: setRegularKey,
  TicketCreate: ticketCreate,
  DepositPreauth: depositPreauth,
}

/** Every transaction may have tfFullyCanonicalSig. */
const UNIVERSAL_FLAGS = 0x80000000
/** Networks with a higher id demand it in every transaction; others forbid it. */
const LAST_ID_WITHOUT_FIELD = 1024

/** The minimum fee is in drops. */
export function minFee(transaction: Pick<SignedTransaction, 'type' | 'json'>, baseFee: bigint): bigint {
  return baseFee * (transactors[transaction.type].feeUnits?.(transaction) ?? 1n)
}

export function applyTransaction(base: Reader, rules: Rules, transaction: SignedTransaction): Outcome {
  const refused = preflight(rules, transaction) ?? preclaim(base, rules, transaction)
  if (refused !== null) return { result: refused, isApplied: false }
  const paid = payFee(base, transaction)
  const view = createView(paid)
  const priorBalance = BigInt(accountOf(base, transaction.account)?.Balance ?? 0)
  const result = transactors[transaction.type].apply({ transaction, rules, view, priorBalance })
  if (!isApplied(result)) return { result, isApplied: false }
  // A transaction that fails in a ledger has done nothing but pay its fee and use its sequence.
  if (result === 'tesSUCCESS') paid.merge(view.changes)
  const threading = { hash: transaction.hash, ledgerIndex: rules.ledgerIndex }
  return { result, isApplied: true, ...threadChanges(base, paid.changes, threading) }
}

function preflight({ networkId }: Rules, transaction: SignedTransaction): ResultCode | null {
  const { json, fee, type } = transaction
  if (networkId > LAST_ID_WITHOUT_FIELD) {
    if (json.NetworkID === undefined) return 'telREQUIRES_NETWORK_ID'
    if (json.NetworkID !== networkId) return 'telWRONG_NETWORK'
  } else if (json.NetworkID !== undefined) return 'telNETWORK_ID_MAKES_TX_NON_CANONICAL'
  if (fee < 0n) return 'temBAD_FEE'
  if (json.TicketSequence !== undefined && json.Sequence !== 0) return 'temSEQ_AND_TICKET'
  if (transaction.isTicket && json.AccountTxnID !== undefined) return 'temINVALID'
  const transactor = transactors[type]
  if ((Number(json.Flags ?? 0) & ~(UNIVERSAL_FLAGS | (transactor.flags ?? 0))) !== 0) return 'temINVALID_FLAG'
  return transactor.preflight?.(transaction) ?? null
}

function preclaim(base: Reader, rules: Rules, transaction: SignedTransaction): ResultCode | null {
  const { json, account, signer, fee, lastLedger } = transaction
  const root = accountOf(base, account)
  if (root === undefined) return 'terNO_ACCOUNT'
  const refused = checkSequence(base, root.Sequence, transaction)
  if (refused !== null) return refused
  if (json.AccountTxnID !== undefined) return 'tefWRONG_PRIOR'
  if (lastLedger !== null && rules.ledgerIndex > lastLedger) return 'tefMAX_LEDGER'
  if (fee < minFee(transaction, rules.fees.base)) return 'telINSUF_FEE_P'
  if (BigInt(root.Balance) < fee) return 'terINSUF_FEE_B'
  if (signer === null) return 'tefNOT_MULTI_SIGNING'
  if (signer === root.RegularKey) return null
  if (signer !== account) return 'tefBAD_AUTH'
  return (root.Flags & accountFlags.disableMaster) !== 0 ? 'tefMASTER_DISABLED' : null
}

function checkSequence(base: Reader, next: number, { account, sequence, isTicket }: SignedTransaction): ResultCode | null {
  if (isTicket) {
    if (sequence >= next) return 'terPRE_TICKET'
    return base.get(ticketKey(account, sequence)) === undefined ? 'tefNO_TICKET' : null
  }
  if (sequence === next) return null
  return sequence > next ? 'terPRE_SEQ' : 'tefPAST_SEQ'
}

function payFee(base: Reader, { account, fee, sequence, isTicket }: SignedTransaction): View {
  const view = createView(base)
  addBalance(view, account, -fee)
  if (isTicket) spendTicket(view, account, sequence)
  else changeAccount(view, account, (root) => ({ ...root, Sequence: sequence + 1 }))
  return view
}
