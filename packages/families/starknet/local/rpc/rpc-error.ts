// Makes the errors of Starknet's JSON-RPC, with the codes of starknet_api_openrpc and starknet_write_api.
import { RpcError } from '@tandem/chain-kit/local/json-rpc.ts'
import { type NestedError, nestedError, type Panic } from '../execution/panic.ts'

export const parseError = () => new RpcError(-32_700, 'Parse error')
export const invalidRequest = () => new RpcError(-32_600, 'Invalid Request')
export const methodNotFound = () => new RpcError(-32_601, 'Method not found')
export const invalidParams = (reason: string) => new RpcError(-32_602, 'Invalid params', { reason })
export const internalError = (reason: string) => new RpcError(-32_603, 'Internal error', { reason })

export const contractNotFound = () => new RpcError(20, 'Contract not found')
export const entryPointNotFound = () => new RpcError(21, 'Requested entry point does not exist in the contract')
export const blockNotFound = () => new RpcError(24, 'Block not found')
export const invalidTransactionIndex = () => new RpcError(27, 'Invalid transaction index in a block')
export const classHashNotFound = () => new RpcError(28, 'Class hash not found')
export const transactionNotFound = () => new RpcError(29, 'Transaction hash not found')
export const pageSizeTooBig = () => new RpcError(31, 'Requested page size is too big')
export const invalidContinuationToken = () => new RpcError(33, 'The supplied continuation token is invalid or unknown')
export const tooManyKeys = () => new RpcError(34, 'Too many keys provided in a filter')
export const contractError = (panic: Panic) => new RpcError(40, 'Contract error', { revert_error: nestedError(panic) })
export const executionError = (index: number, error: NestedError) =>
  new RpcError(41, 'Transaction execution error', { transaction_index: index, execution_error: error })

export const classAlreadyDeclared = () => new RpcError(51, 'Class already declared')
export const invalidNonce = (reason: string) => new RpcError(52, 'Invalid transaction nonce', reason)
export const insufficientResources = (reason: string) =>
  new RpcError(53, "The transaction's resources don't cover validation or the minimal transaction fee", reason)
export const insufficientBalance = () =>
  new RpcError(
    54,
    "Account balance is smaller than the transaction's maximal fee (calculated as the sum of each resource's limit x max price)",
  )
export const validationFailure = (reason: string) => new RpcError(55, 'Account validation failed', reason)
export const nonAccount = () => new RpcError(58, 'Sender address is not an account contract')
export const duplicateTransaction = () => new RpcError(59, 'A transaction with the same hash already exists in the mempool')
export const unsupportedVersion = () => new RpcError(61, 'the transaction version is not supported')
export const unsupportedClassVersion = () => new RpcError(62, 'the contract class version is not supported')
export const underpricedReplacement = () => new RpcError(64, 'Replacement transaction is underpriced')
