// Writes transactions in answers, in the forms of both versions of the interface.
import { encode } from 'xrpl'
import { isoTime } from '../ledger/close-time.ts'
import type { Ledger, ValidatedTransaction } from '../ledger/history.ts'
import type { Fields, Metadata } from '../ledger/metadata.ts'
import type { SignedTransaction } from '../transactions/signed-transaction.ts'
import type { ApiVersion } from './context.ts'

/** Nodes add what a payment delivered. */
export function metaJson({ json, type }: SignedTransaction, meta: Metadata): Fields {
  return type === 'Payment' && meta.TransactionResult === 'tesSUCCESS' ? { ...meta, delivered_amount: json.Amount } : meta
}

const metaBlob = (meta: Metadata): string => encode(meta as unknown as Parameters<typeof encode>[0])

/** Version 2 names the amount of a payment `DeliverMax`. */
export function transactionJson({ json, type }: SignedTransaction, version: ApiVersion): Fields {
  if (type !== 'Payment') return json
  if (version === 1) return { ...json, DeliverMax: json.Amount }
  const { Amount, ...others } = json
  return { ...others, DeliverMax: Amount }
}

export function foundTransaction(ledger: Ledger, validated: ValidatedTransaction, version: ApiVersion, binary: boolean): Fields {
  const { transaction, meta } = validated
  const { hash, blob } = transaction
  const place = { ledger_index: ledger.index, ledger_hash: ledger.hash }
  const inLedger = { date: ledger.closeTime, ledger_index: ledger.index }
  if (version === 1) {
    const body = binary
      ? { tx: blob, meta: metaBlob(meta) }
      : { ...transactionJson(transaction, version), meta: metaJson(transaction, meta), inLedger: ledger.index }
    return { ...body, hash, ...inLedger, validated: true }
  }
  const body = binary
    ? { tx_blob: blob, meta_blob: metaBlob(meta) }
    : { tx_json: { ...transactionJson(transaction, version), ...inLedger }, meta: metaJson(transaction, meta) }
  return { ...body, hash, ...place, close_time_iso: isoTime(ledger.closeTime), validated: true }
}

export function listedTransaction(ledger: Ledger, validated: ValidatedTransaction, version: ApiVersion, binary: boolean): Fields {
  if (version === 2) return foundTransaction(ledger, validated, version, binary)
  const { transaction, meta } = validated
  if (binary) return { tx_blob: transaction.blob, meta: metaBlob(meta), ledger_index: ledger.index, validated: true }
  const { hash } = transaction
  const tx = { ...transactionJson(transaction, version), hash, date: ledger.closeTime, inLedger: ledger.index, ledger_index: ledger.index }
  return { tx, meta: metaJson(transaction, meta), validated: true }
}

export function transactionOfLedger(ledger: Ledger, validated: ValidatedTransaction, version: ApiVersion, binary: boolean): Fields {
  const { transaction, meta } = validated
  const { hash, blob } = transaction
  if (version === 1) {
    return binary
      ? { tx_blob: blob, meta: metaBlob(meta) }
      : { ...transactionJson(transaction, version), hash, metaData: metaJson(transaction, meta) }
  }
  return binary ? { hash, tx_blob: blob, meta_blob: metaBlob(meta) } : foundTransaction(ledger, validated, version, false)
}
