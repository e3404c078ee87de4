/**
 * Errors in words for people: every code of the service, every class of the SDK, and what wallets answer. Amounts are in coins. The message of the error, with
 * fields, codes and smallest units, is for support: the page shows it only under "Details".
 */
import {
  AddressError,
  AlreadyPaidError,
  ApiError,
  InsufficientFundsError,
  NetworkError,
  NodeError,
  NotPossibleError,
  RescueInputError,
  StorageError,
  UnpaidError,
  UnredeemedError,
  VerificationError,
} from '@tandem/sdk'
import { errors as texts } from '../texts.ts'

/** `details` is null if the text is complete. */
export type Explanation = { readonly text: string; readonly details: string | null }

/** How the page names assets, amounts and chains in an error. */
export type Names = { symbol(asset: string): string; amount(asset: string, units: bigint): string; chain(id: string): string }

/** An error in the words of the page itself. */
export class SaidError extends Error {
  override readonly name = 'SaidError'
}

export function explain(error: unknown, names: Names): Explanation {
  const own = sentenceOf(error)
  if (own !== null) return { text: own, details: null }
  const text = ofSdk(error, names) ?? ofWallet(error) ?? texts.unknown
  return { text, details: detailsOf(error) }
}

/** For errors of which only the message is known. */
export const withDetails = (text: string, details: string | null | undefined): Explanation => ({ text, details: details || null })

/** Messages that were written for the user. */
function sentenceOf(error: unknown): string | null {
  if (!(error instanceof SaidError || error instanceof AddressError || error instanceof RescueInputError)) return null
  const { message } = error
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${/[.!?…]$/.test(message) ? '' : '.'}`
}

function ofSdk(error: unknown, { symbol, amount, chain }: Names): string | null {
  if (error instanceof ApiError) return codeText(error)
  if (error instanceof NetworkError) return texts.noAnswer
  if (error instanceof NodeError) return texts.node
  if (error instanceof InsufficientFundsError)
    return texts.funds(symbol(error.asset), amount(error.asset, error.held), amount(error.asset, error.needed), true)
  if (error instanceof NotPossibleError) return texts.notPossible[error.reason](chain(error.chain))
  if (error instanceof AlreadyPaidError) return texts.alreadyPaid
  if (error instanceof UnpaidError) return texts.unpaid[error.shown](chain(error.chain))
  if (error instanceof UnredeemedError) return texts.unredeemed(chain(error.chain))
  if (error instanceof StorageError) return texts.storage
  if (error instanceof VerificationError) return texts.verification
  return null
}

/** A service that is newer than this page may have codes of its own. */
function codeText({ code, retryAfterSeconds }: ApiError): string {
  if (code === 'rate_limited') return texts.rateLimited(retryAfterSeconds)
  return new Map<string, string>(Object.entries(texts.codes)).get(code) ?? texts.unknown
}

/** EIP-1193 and the numbers that other wallets share with it; names of errors of the libraries that wallets use. Causes of an error are checked too. */
function ofWallet(error: unknown): string | null {
  for (let one: unknown = error, depth = 0; typeof one === 'object' && one !== null && depth < 8; depth += 1) {
    const { code, name, cause } = one as { readonly code?: unknown; readonly name?: unknown; readonly cause?: unknown }
    if (code === 4001 || name === 'UserRejectedRequestError') return texts.wallet.refused
    if (code === 4100) return texts.wallet.locked
    if (code === 4900 || code === 4901 || code === 4902) return texts.wallet.network
    if (name === 'InsufficientFundsError') return texts.wallet.fee
    one = cause
  }
  return null
}

function detailsOf(error: unknown): string {
  if (error instanceof ApiError) return `${error.code}: ${error.message}`
  if (error instanceof Error) return error.message === '' ? error.name : error.message
  const { message } = (typeof error === 'object' && error !== null ? error : {}) as { readonly message?: unknown }
  return typeof message === 'string' ? message : String(error)
}
