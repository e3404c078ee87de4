// All methods of the JSON-RPC, and one request to them.
import type { SolanaNode } from '../solana-node.ts'
import { accountMethods } from './account-methods.ts'
import { blockMethods } from './block-methods.ts'
import { clusterMethods } from './cluster-methods.ts'
import type { Methods } from './context.ts'
import { timeMethods } from './time-methods.ts'
import { tokenMethods } from './token-methods.ts'
import { type Airdrop, transactionMethods } from './transaction-methods.ts'

export function createMethods(node: SolanaNode, airdrop: Airdrop): Methods {
  return {
    ...clusterMethods(node),
    ...blockMethods(node),
    ...accountMethods(node),
    ...tokenMethods(node),
    ...transactionMethods(node, airdrop),
    ...timeMethods(node),
  }
}
