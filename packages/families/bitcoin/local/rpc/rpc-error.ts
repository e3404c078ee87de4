// Errors in the form and with the codes of Bitcoin Core's JSON-RPC interface.

export const RPC = {
  MISC: -1,
  TYPE: -3,
  INVALID_ADDRESS_OR_KEY: -5,
  INVALID_PARAMETER: -8,
  DESERIALIZATION: -22,
  VERIFY: -25,
  VERIFY_REJECTED: -26,
  ALREADY_IN_UTXO_SET: -27,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  PARSE: -32700,
} as const

export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
