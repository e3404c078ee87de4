// Starts the Sui simulator: one local chain behind the gRPC of a node. Contracts are TypeScript re-implementations; no Move runs.
import { createSuiNode, type NodeFaults, type ReorgOptions, type SuiMining, type SuiNode } from './chain/node.ts'
import { startGrpcServer } from './grpc/server.ts'
import { type Answer, answerBytes, createAnswer } from './grpc/services.ts'

export interface SuiChainOptions {
  /** What `GetServiceInfo` calls the chain. */
  readonly chain?: string
  /** A free port is taken when none is given. */
  readonly port?: number
  /** Addresses that own coins from the first checkpoint on. */
  readonly owners?: readonly string[]
  readonly mining?: SuiMining
  /** The wall clock, in milliseconds. */
  readonly now?: () => number
}

export interface SuiChain {
  readonly url: string
  /** The node behind the interface, for tests and for the faucet. */
  readonly node: SuiNode
  /** Answers a request without a network: for simulated providers in front of this chain. */
  readonly answer: Answer
  setMining(mining: SuiMining): void
  /** Makes checkpoints now. */
  mine(checkpoints?: number): void
  /** Moves the clock of the chain, and makes a checkpoint. */
  passMs(ms: number): void
  nextEpoch(): void
  setGasPrice(price: bigint): void
  readonly faults: SuiChainFaults
  close(): Promise<void>
}

export interface SuiChainFaults extends NodeFaults {
  /** Checkpoints of the real chain are final. For tests of code that must hold for every chain. */
  reorg(depth: number, options?: ReorgOptions): void
  /** Delays every answer; 0 turns it off. */
  delay(delayMs: number): void
  /** Cuts the network; the chain itself goes on. */
  offline(offline: boolean): void
}

/** Of the chain `sui_localnet` in the registry. */
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
