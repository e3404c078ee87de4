// Shows errors of transactions in the two forms of a node: JSON in `err`, and a sentence in messages.
import * as internal from 'litesvm/dist/internal.js'

type InstructionErrorJson = string | { readonly Custom: number } | { readonly BorshIoError: string }

export type TransactionErrorJson =
  | string
  | { readonly InstructionError: readonly [index: number, error: InstructionErrorJson] }
  | { readonly InsufficientFundsForRent: { readonly account_index: number } }
  | { readonly DuplicateInstruction: number }
  | { readonly ProgramExecutionTemporarilyRestricted: { readonly account_index: number } }

type TransactionErrorName = keyof typeof internal.TransactionErrorFieldless
type InstructionErrorName = keyof typeof internal.InstructionErrorFieldless

/** The order is that of litesvm's numbers, which litesvm declares as types only. */
export const transactionErrors: readonly TransactionErrorName[] = [
  'AccountInUse',
  'AccountLoadedTwice',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'CallChainTooDeep',
  'MissingSignatureForFee',
  'InvalidAccountIndex',
  'SignatureFailure',
  'InvalidProgramForExecution',
  'SanitizeFailure',
  'ClusterMaintenance',
  'AccountBorrowOutstanding',
  'WouldExceedMaxBlockCostLimit',
  'UnsupportedVersion',
  'InvalidWritableAccount',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
  'TooManyAccountLocks',
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
  'InvalidRentPayingAccount',
  'WouldExceedMaxVoteCostLimit',
  'WouldExceedAccountDataTotalLimit',
  'MaxLoadedAccountsDataSizeExceeded',
  'ResanitizationNeeded',
  'InvalidLoadedAccountsDataSizeLimit',
  'UnbalancedTransaction',
  'ProgramCacheHitMaxLimit',
  'CommitCancelled',
]

export const instructionErrors: readonly InstructionErrorName[] = [
  'GenericError',
  'InvalidArgument',
  'InvalidInstructionData',
  'InvalidAccountData',
  'AccountDataTooSmall',
  'InsufficientFunds',
  'IncorrectProgramId',
  'MissingRequiredSignature',
  'AccountAlreadyInitialized',
  'UninitializedAccount',
  'UnbalancedInstruction',
  'ModifiedProgramId',
  'ExternalAccountLamportSpend',
  'ExternalAccountDataModified',
  'ReadonlyLamportChange',
  'ReadonlyDataModified',
  'DuplicateAccountIndex',
  'ExecutableModified',
  'RentEpochModified',
  'NotEnoughAccountKeys',
  'AccountDataSizeChanged',
  'AccountNotExecutable',
  'AccountBorrowFailed',
  'AccountBorrowOutstanding',
  'DuplicateAccountOutOfSync',
  'InvalidError',
  'ExecutableDataModified',
  'ExecutableLamportChange',
  'ExecutableAccountNotRentExempt',
  'UnsupportedProgramId',
  'CallDepth',
  'MissingAccount',
  'ReentrancyNotAllowed',
  'MaxSeedLengthExceeded',
  'InvalidSeeds',
  'InvalidRealloc',
  'ComputationalBudgetExceeded',
  'PrivilegeEscalation',
  'ProgramEnvironmentSetupFailure',
  'ProgramFailedToComplete',
  'ProgramFailedToCompile',
  'Immutable',
  'IncorrectAuthority',
  'AccountNotRentExempt',
  'InvalidAccountOwner',
  'ArithmeticOverflow',
  'UnsupportedSysvar',
  'IllegalOwner',
  'MaxAccountsDataAllocationsExceeded',
  'MaxAccountsExceeded',
  'MaxInstructionTraceLengthExceeded',
  'BuiltinProgramsMustConsumeComputeUnits',
  'BorshIoError',
]

export function errorJson(failed: internal.FailedTransactionMetadata): TransactionErrorJson {
  const error = failed.err()
  if (typeof error === 'number') return nameOf(transactionErrors, error)
  if (error instanceof internal.TransactionErrorInstructionError)
    return { InstructionError: [error.index, instructionErrorJson(error.err())] }
  if (error instanceof internal.TransactionErrorInsufficientFundsForRent)
    return { InsufficientFundsForRent: { account_index: error.accountIndex } }
  if (error instanceof internal.TransactionErrorDuplicateInstruction) return { DuplicateInstruction: error.index }
  return { ProgramExecutionTemporarilyRestricted: { account_index: error.accountIndex } }
}

function instructionErrorJson(error: ReturnType<internal.TransactionErrorInstructionError['err']>): InstructionErrorJson {
  if (typeof error === 'number') return nameOf(instructionErrors, error)
  return error instanceof internal.InstructionErrorCustom ? { Custom: error.code } : { BorshIoError: error.msg }
}

function nameOf(names: readonly string[], value: number): string {
  const name = names[value]
  if (name === undefined) throw new Error(`litesvm has no error number ${value}`)
  return name
}

/** The sentences are agave's. An error without one is shown by its name. */
const sentences: Readonly<Record<string, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  InvalidAccountForFee: 'This account may not be used to pay transaction fees',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  SignatureFailure: 'Transaction did not pass signature verification',
  SanitizeFailure: 'Transaction failed to sanitize accounts offsets correctly',
  InvalidProgramForExecution: 'This program may not be used for executing instructions',
  InvalidWritableAccount: 'Transaction contains an invalid account reference',
  TooManyAccountLocks: 'Transaction locked too many accounts',
  AddressLookupTableNotFound: "Transaction loads an address table account that doesn't exist",
  InvalidAddressLookupTableOwner: 'Transaction loads an address table account with an invalid owner',
  InvalidAddressLookupTableData: 'Transaction loads an address table account with invalid data',
  InvalidAddressLookupTableIndex: 'Transaction address table lookup uses an invalid index',
}

const instructionSentences: Readonly<Record<string, string>> = {
  GenericError: 'generic instruction error',
  InvalidArgument: 'invalid program argument',
  InvalidInstructionData: 'invalid instruction data',
  InvalidAccountData: 'invalid account data for instruction',
  InsufficientFunds: 'insufficient funds for instruction',
  IncorrectProgramId: 'incorrect program id for instruction',
  MissingRequiredSignature: 'missing required signature for instruction',
  AccountAlreadyInitialized: 'instruction requires an uninitialized account',
  UninitializedAccount: 'instruction requires an initialized account',
  NotEnoughAccountKeys: 'insufficient account keys for instruction',
  MissingAccount: 'An account required by the instruction is missing',
  PrivilegeEscalation: 'Cross-program invocation with unauthorized signer or writable account',
  ComputationalBudgetExceeded: 'Computational budget exceeded',
  ProgramFailedToComplete: 'Program failed to complete',
  Immutable: 'Account is immutable',
  IncorrectAuthority: 'Incorrect authority provided',
  InvalidAccountOwner: 'Invalid account owner',
}

export function errorText(error: TransactionErrorJson): string {
  if (typeof error === 'string') return sentences[error] ?? error
  if ('InstructionError' in error) {
    const [index, reason] = error.InstructionError
    return `Error processing Instruction ${index}: ${instructionErrorText(reason)}`
  }
  if ('InsufficientFundsForRent' in error)
    return `Transaction results in an account (${error.InsufficientFundsForRent.account_index}) with insufficient funds for rent`
  if ('DuplicateInstruction' in error)
    return `Transaction contains a duplicate instruction (${error.DuplicateInstruction}) that is not allowed`
  return `Execution of the program referenced by account at index ${error.ProgramExecutionTemporarilyRestricted.account_index} is temporarily restricted.`
}

function instructionErrorText(error: InstructionErrorJson): string {
  if (typeof error === 'string') return instructionSentences[error] ?? error
  return 'Custom' in error
    ? `custom program error: 0x${error.Custom.toString(16)}`
    : `Failed to serialize or deserialize account data: ${error.BorshIoError}`
}
