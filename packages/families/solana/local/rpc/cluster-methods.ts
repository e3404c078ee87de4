// Answers the methods about the cluster: version, epochs, blockhashes, fees.
import type { Address } from '@solana/kit'
import { requestedBudget } from '../compute-budget.ts'
import { feeOf } from '../fees.ts'
import type { LedgerBlock } from '../ledger.ts'
import type { MinedTransaction } from '../mined-transaction.ts'
import type { SolanaNode } from '../solana-node.ts'
import { SLOTS_PER_EPOCH } from '../svm.ts'
import { readMessage, type WireMessage } from '../wire-transaction.ts'
import { API_VERSION, type Methods, readCommitment, withContext } from './context.ts'
import { addressesOf, bytesOf, configOf, countOf, textOf } from './params.ts'
import { invalidParams } from './rpc-error.ts'

const FEE_HISTORY = 150
const MAX_FEE_ACCOUNTS = 128

export function clusterMethods(node: SolanaNode): Methods {
  const { ledger, svm } = node
  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': API_VERSION, 'feature-set': 0 }),
    getGenesisHash: () => ledger.genesisHash,
    getEpochInfo([config]) {
      const { slot, height } = ledger.tip(readCommitment(node, configOf(config)))
      return {
        absoluteSlot: slot,
        blockHeight: height,
        epoch: Math.floor(slot / SLOTS_PER_EPOCH),
        slotIndex: slot % SLOTS_PER_EPOCH,
        slotsInEpoch: SLOTS_PER_EPOCH,
        transactionCount: ledger.transactionCount(),
      }
    },
    getLatestBlockhash([config]) {
      const commitment = readCommitment(node, configOf(config))
      const block = ledger.tip(commitment)
      return withContext(node, commitment, { blockhash: block.blockhash, lastValidBlockHeight: node.lastValidHeight(block) })
    },
    isBlockhashValid([blockhash, config]) {
      const commitment = readCommitment(node, configOf(config))
      return withContext(node, commitment, node.isRecent(textOf(blockhash), commitment))
    },
    getMinimumBalanceForRentExemption: ([size]) => svm.rent(countOf(size)),
    getFeeForMessage([message, config]) {
      const commitment = readCommitment(node, configOf(config))
      const read = messageOf(bytesOf(textOf(message), 'base64'))
      return withContext(node, commitment, node.isRecent(read.lifetimeToken, commitment) ? feeOf(read) : null)
    },
    getRecentPrioritizationFees([accounts]) {
      const written = accounts === undefined || accounts === null ? [] : addressesOf(accounts, MAX_FEE_ACCOUNTS)
      const { height } = ledger.tip('processed')
      const fees: { slot: number; prioritizationFee: bigint }[] = []
      for (let at = Math.max(ledger.firstBlock().height, height - FEE_HISTORY + 1); at <= height; at += 1) {
        const block = ledger.blockAtHeight(at)
        if (block !== null) fees.push({ slot: block.slot, prioritizationFee: atLeast(node.minUnitPrice(), priceIn(block, written)) })
      }
      return fees
    },
  }
}

function messageOf(bytes: Uint8Array): WireMessage {
  try {
    return readMessage(bytes)
  } catch (error) {
    throw invalidParams(
      `failed to deserialize solana_message::versions::VersionedMessage: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** This is the lowest price per compute unit that was enough to be in this block and to write these accounts. */
function priceIn({ transactions }: LedgerBlock, written: readonly Address[]): bigint {
  const writers = written.map((address) => transactions.filter(({ writable }) => writable.includes(address)))
  return [transactions, ...writers].map(lowestPrice).reduce(atLeast)
}

function lowestPrice(transactions: readonly MinedTransaction[]): bigint {
  const prices = transactions.map(({ wire }) => requestedBudget(wire.message).unitPrice)
  return prices.length === 0 ? 0n : prices.reduce((lowest, price) => (price < lowest ? price : lowest))
}

function atLeast(minimum: bigint, value: bigint): bigint {
  return value > minimum ? value : minimum
}
