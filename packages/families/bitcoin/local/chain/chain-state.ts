// Keeps the tree of known blocks and the active chain in it: the valid one with the most work.
import type { BitcoinNetwork } from '../network.ts'
import type { BlockPosition } from '../transaction/check-transaction.ts'
import type { ScriptVerifier } from '../transaction/verify-scripts.ts'
import { fromHex } from '../wire/bytes.ts'
import { type Block, parseBlock } from './block.ts'
import { type BlockNode, createBlockNode } from './block-node.ts'
import { checkBlock, checkBlockInContext } from './check-block.ts'
import type { Coin } from './coins.ts'
import { connectBlock, disconnectBlock } from './connect-block.ts'

export type ChainChange = { readonly disconnected: readonly BlockNode[]; readonly connected: readonly BlockNode[] }

export type AcceptBlockResult = ChainChange & {
  readonly refusal: string | null
}

export type ChainState = {
  readonly coins: ReadonlyMap<string, Coin>
  tip(): BlockNode
  at(height: number): BlockNode | undefined
  find(hash: string): BlockNode | undefined
  isActive(node: BlockNode): boolean
  next(): BlockPosition
  medianTimeAt(height: number): number
  nodes(): Iterable<BlockNode>
  accept(block: Block): AcceptBlockResult
  invalidate(node: BlockNode): ChainChange
  reconsider(node: BlockNode): ChainChange
}

export type ChainStateOptions = { network: BitcoinNetwork; verifier: ScriptVerifier; nowSeconds: () => number }

const UNCHANGED: ChainChange = { disconnected: [], connected: [] }

export function createChainState({ network, verifier, nowSeconds }: ChainStateOptions): ChainState {
  const coins = new Map<string, Coin>()
  const known = new Map<string, BlockNode>()
  const genesis = createBlockNode(parseBlock(fromHex(network.genesisBlock)), null, 0)
  genesis.undo = []
  known.set(genesis.block.hash, genesis)
  const active: BlockNode[] = [genesis]
  let arrivals = 1

  const tip = (): BlockNode => active.at(-1) ?? genesis
  const isActive = (node: BlockNode): boolean => active[node.height] === node
  const medianTimeAt = (height: number): number => active[height]?.medianTimePast ?? genesis.medianTimePast
  const positionAfter = (node: BlockNode): BlockPosition => ({ height: node.height + 1, medianTimePast: node.medianTimePast })

  /** A failed block hides all its descendants. */
  function bestNode(): BlockNode {
    let best = genesis
    const open = [genesis]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.failed) continue
      if (node.chainWork > best.chainWork || (node.chainWork === best.chainWork && node.arrival < best.arrival)) best = node
      open.push(...node.children)
    }
    return best
  }

  function disconnectTip(): BlockNode {
    const node = tip()
    disconnectBlock(node.block, node.undo ?? [], coins)
    active.pop()
    return node
  }

  function connect(node: BlockNode): string | null {
    const result = connectBlock(node.block, { coins, network, verifier, position: positionAfter(tip()), medianTimeAt })
    if (result.refusal !== null) {
      node.failed = true
      return result.refusal
    }
    node.undo = result.undo
    active.push(node)
    return null
  }

  function activate(): ChainChange & { refusal: string | null } {
    const disconnected: BlockNode[] = []
    const connected: BlockNode[] = []
    let refusal: string | null = null
    for (let best = bestNode(); best !== tip(); best = bestNode()) {
      const path: BlockNode[] = []
      let fork = best
      while (!isActive(fork)) {
        path.unshift(fork)
        if (fork.previous === null) break
        fork = fork.previous
      }
      while (tip() !== fork) {
        const node = disconnectTip()
        const undone = connected.indexOf(node)
        if (undone >= 0) connected.splice(undone, 1)
        else disconnected.push(node)
      }
      for (const node of path) {
        const failure = connect(node)
        if (failure !== null) {
          refusal = failure
          break
        }
        const restored = disconnected.indexOf(node)
        if (restored >= 0) disconnected.splice(restored, 1)
        else connected.push(node)
      }
    }
    return { disconnected, connected, refusal }
  }

  function accept(block: Block): AcceptBlockResult {
    const existing = known.get(block.hash)
    if (existing !== undefined) return { ...UNCHANGED, refusal: existing.failed ? 'duplicate-invalid' : 'duplicate' }
    const previous = known.get(block.header.previousHash)
    if (previous === undefined) return { ...UNCHANGED, refusal: 'prev-blk-not-found' }
    for (let ancestor: BlockNode | null = previous; ancestor !== null && !isActive(ancestor); ancestor = ancestor.previous)
      if (ancestor.failed) return { ...UNCHANGED, refusal: 'bad-prevblk' }
    const refusal = checkBlock(block, network) ?? checkBlockInContext(block, positionAfter(previous), network, nowSeconds())
    if (refusal !== null) return { ...UNCHANGED, refusal }
    const node = createBlockNode(block, previous, arrivals++)
    if (previous === tip()) {
      const failure = connect(node)
      known.set(block.hash, node)
      previous.children.push(node)
      return failure === null ? { disconnected: [], connected: [node], refusal: null } : { ...UNCHANGED, refusal: failure }
    }
    known.set(block.hash, node)
    previous.children.push(node)
    const change = activate()
    return { ...change, refusal: change.refusal ?? (isActive(node) ? null : 'inconclusive') }
  }

  function invalidate(node: BlockNode): ChainChange {
    node.failed = true
    const disconnected: BlockNode[] = []
    while (isActive(node)) disconnected.push(disconnectTip())
    const change = activate()
    return { disconnected: [...disconnected, ...change.disconnected], connected: change.connected }
  }

  /** Bitcoin Core clears the marks of ancestors and descendants, too. */
  function reconsider(node: BlockNode): ChainChange {
    for (let ancestor: BlockNode | null = node; ancestor !== null; ancestor = ancestor.previous) ancestor.failed = false
    const open = [node]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      next.failed = false
      open.push(...next.children)
    }
    return activate()
  }

  return {
    coins,
    tip,
    at: (height) => active[height],
    find: (hash) => known.get(hash),
    isActive,
    next: () => positionAfter(tip()),
    medianTimeAt,
    nodes: () => known.values(),
    accept,
    invalidate,
    reconsider,
  }
}
