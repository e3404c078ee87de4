// Lists all methods of the JSON-RPC by name.
import type { SolanaNode } from '../solana-node.ts'
import { accountMethods } from './account-methods.ts'
import { blockMethods } from './block-methods.ts'
import { clusterMethods } from './cluster-methods.ts'
import type { Method } from './context.ts'
import { timeMethods } from './time-methods.ts'
import { tokenMethods } from './token-methods.ts'
import { type Airdrop, transactionMethods } from './transaction-methods.ts'

export function createMethods(node: SolanaNode, airdrop: Airdrop): ReadonlyMap<string, Method> {
  const methods = {
    ...clusterMethods(node),
    ...blockMethods(node),
    ...accountMethods(node),
    ...tokenMethods(node),
    ...transactionMethods(node, airdrop),
    ...timeMethods(node),
  }
  return new Map(Object.entries(methods))
}
