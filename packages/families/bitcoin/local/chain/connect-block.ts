// Applies a block to the UTXO set after verifying every transaction in it, and undoes it in a reorg.
import type { BitcoinNetwork } from '../network.ts'
import { type BlockPosition, sequenceLocksMet } from '../transaction/check-transaction.ts'
import { sigopsCost } from '../transaction/sigops.ts'
import { outpointKey } from '../transaction/transaction.ts'
import type { ScriptVerifier } from '../transaction/verify-scripts.ts'
import type { Block } from './block.ts'
import { MAX_BLOCK_SIGOPS_COST } from './check-block.ts'
import { type Coin, checkInputs, createCoinView } from './coins.ts'

export type Undo = readonly (readonly Coin[])[]

export type ConnectContext = {
  readonly coins: Map<string, Coin>
  readonly network: BitcoinNetwork
  readonly verifier: ScriptVerifier
  readonly position: BlockPosition
  readonly medianTimeAt: (height: number) => number
}

export type ConnectResult = { readonly undo: Undo; readonly refusal: null } | { readonly refusal: string }

export function subsidyAt(height: number, network: BitcoinNetwork): bigint {
  return network.initialSubsidySats >> BigInt(Math.floor(height / network.halvingInterval))
}

export function connectBlock(block: Block, context: ConnectContext): ConnectResult {
  const { network, verifier, position } = context
  const view = createCoinView(context.coins)
  const undo: Coin[][] = []
  let sigops = 0
  let feesSats = 0n
  for (const [i, transaction] of block.transactions.entries()) {
    const spent = i === 0 ? [] : view.spend(transaction)
    if (spent === null) return { refusal: 'bad-txns-inputs-missingorspent' }
    if (i > 0) {
      const verdict = checkInputs(transaction, spent, position.height, network)
      if (verdict.refusal !== null) return verdict
      feesSats += verdict.feeSats
      const heights = spent.map((coin) => coin.height)
      if (!sequenceLocksMet(transaction, heights, position, context.medianTimeAt)) return { refusal: 'bad-txns-nonfinal' }
    }
    sigops += sigopsCost(transaction, spent)
    if (sigops > MAX_BLOCK_SIGOPS_COST) return { refusal: 'bad-blk-sigops' }
    const scripts = i === 0 ? null : verifier.checkConsensus(transaction, spent)
    if (scripts !== null) return { refusal: scripts }
    if (!view.add(transaction, position.height)) return { refusal: 'bad-txns-BIP30' }
    undo.push(spent)
  }
  const minted = block.transactions[0]?.outputs.reduce((sum, { amount }) => sum + amount, 0n) ?? 0n
  if (minted > subsidyAt(position.height, network) + feesSats) return { refusal: 'bad-cb-amount' }
  view.apply()
  return { undo, refusal: null }
}

export function disconnectBlock(block: Block, undo: Undo, coins: Map<string, Coin>): void {
  for (const [i, transaction] of [...block.transactions.entries()].reverse()) {
    for (const index of transaction.outputs.keys()) coins.delete(outpointKey(transaction.txid, index))
    for (const [n, coin] of (undo[i] ?? []).entries()) {
      const input = transaction.inputs[n]
      if (input !== undefined) coins.set(outpointKey(input.txid, input.index), coin)
    }
  }
}
