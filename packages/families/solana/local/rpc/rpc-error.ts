// Makes the errors of agave's JSON-RPC, with their codes.
import { RpcError } from '@tandem/chain-kit/local/json-rpc.ts'

export const parseError = () => new RpcError(-32_700, 'Parse error')
export const invalidRequest = () => new RpcError(-32_600, 'Invalid request')
export const internalError = (reason: string) => new RpcError(-32_603, reason)
export const invalidParams = (message: string) => new RpcError(-32_602, message)
export const methodNotFound = () => new RpcError(-32_601, 'Method not found')
export const blockCleanedUp = (slot: number, first: number) =>
  new RpcError(-32_001, `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`)
export const preflightFailure = (message: string, data: unknown) => new RpcError(-32_002, `Transaction simulation failed: ${message}`, data)
export const signatureFailure = () => new RpcError(-32_003, 'Transaction signature verification failure')
export const blockNotAvailable = (slot: number) => new RpcError(-32_004, `Block not available for slot ${slot}`)
export const slotSkipped = (slot: number) =>
  new RpcError(-32_007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`)
export const unsupportedVersion = (version: number) =>
  new RpcError(
    -32_015,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  )
export const minContextSlotNotReached = (contextSlot: number) =>
  new RpcError(-32_016, 'Minimum context slot has not been reached', { contextSlot })
