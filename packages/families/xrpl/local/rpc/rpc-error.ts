// Lists the errors of requests (rippled, ErrorCodes.cpp).
import type { Fields } from '../ledger/metadata.ts'

const errors = {
  unknownCmd: [32, 'Unknown method.'],
  missingCommand: [5, 'Missing command entry.'],
  invalid_API_version: [6, 'Invalid API version.'],
  invalidParams: [31, 'Invalid parameters.'],
  actMalformed: [35, 'Account malformed.'],
  actNotFound: [19, 'Account not found.'],
  lgrNotFound: [21, 'ledgerNotFound'],
  lgrIdxMalformed: [58, 'Ledger index malformed.'],
  lgrIdxsInvalid: [57, 'Ledger indexes invalid.'],
  invalidLgrRange: [79, 'Ledger range is invalid.'],
  txnNotFound: [29, 'Transaction not found.'],
  entryNotFound: [96, 'Requested ledger entry not found.'],
  malformedStream: [24, 'Stream malformed.'],
  internal: [73, 'Internal error.'],
} as const

type ErrorName = keyof typeof errors | 'invalidTransaction'

export class RpcError extends Error {
  readonly json: Fields

  /** `details` are further fields of the answer. */
  constructor(name: ErrorName, details: Fields = {}) {
    super(name)
    const known = name === 'invalidTransaction' ? null : errors[name]
    this.json = { error: name, ...(known && { error_code: known[0], error_message: known[1] }), ...details }
  }
}
