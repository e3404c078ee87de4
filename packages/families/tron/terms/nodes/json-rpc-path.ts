/** The path of the Ethereum JSON-RPC below a node's URL, as on TronGrid. An operator's proxy must use the same. */
export const JSON_RPC_PATH = '/jsonrpc'
