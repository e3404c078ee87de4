/** Where below a node's address its Ethereum-like interface is: there on TronGrid, and wherever an operator's proxy puts it. */
export const JSON_RPC_PATH = '/jsonrpc'
