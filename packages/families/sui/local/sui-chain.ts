// Starts the Sui simulator: one local chain behind the gRPC of a node. Contracts are re-implemented in TypeScript; no Move runs.
import { createSuiNode, type NodeFaults, type ReorgOptions, type SuiMining, type SuiNode } from './chain/node.ts'
import { startGrpcServer } from './grpc/server.ts'
import { type Answer, answerBytes, createAnswer } from './grpc/services.ts'

export interface SuiChainOptions {
  readonly chain?: string
  readonly port?: number
  readonly owners?: readonly string[]
  readonly mining?: SuiMining
  /** The time is in milliseconds. */
  readonly now?: () => number
}

export interface SuiChain {
  readonly url: string
  /** Tests and the faucet use the node directly. */
  readonly node: SuiNode
  /** Simulated providers in front of this chain answer without a network. */
  readonly answer: Answer
  setMining(mining: SuiMining): void
  mine(checkpoints?: number): void
  passMs(ms: number): void
  nextEpoch(): void
  setGasPrice(price: bigint): void
  readonly faults: SuiChainFaults
  close(): Promise<void>
}

export interface SuiChainFaults extends NodeFaults {
  /** Checkpoints of the real chain are final. This is for tests of code that must hold for every chain. */
  reorg(depth: number, options?: ReorgOptions): void
  /** Zero ends the delay. */
  delay(delayMs: number): void
  /** The chain itself goes on. */
  offline(offline: boolean): void
}

const LOCAL_CHAIN = 'localnet'

export async function startSuiChain(options: SuiChainOptions = {}): Promise<SuiChain> {
  const { chain = LOCAL_CHAIN, port = 0, owners = [], mining = 'instant', now } = options
  const node = createSuiNode({ mining, owners, ...(now && { now }) })
  const answer = createAnswer(node, chain)
  const server = await startGrpcServer(answerBytes(answer), port)
  return {
    url: server.url,
    node,
    answer,
    setMining: node.setMining,
    mine: node.mine,
    passMs: node.passTime,
    nextEpoch: node.nextEpoch,
    setGasPrice: node.setGasPrice,
    faults: { ...node.faults, reorg: node.reorg, delay: server.setDelay, offline: server.setOffline },
    close: server.close,
  }
}
