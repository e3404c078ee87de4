// Answers the methods about slots and blocks.
import type { Commitment, LedgerBlock } from '../ledger.ts'
import type { SolanaNode } from '../solana-node.ts'
import { type Methods, readCommitment } from './context.ts'
import { type Config, configOf, countOf, historyCommitmentOf, optionalCountOf } from './params.ts'
import { blockCleanedUp, blockNotAvailable, invalidParams, slotSkipped } from './rpc-error.ts'
import { transactionAccountsJson, transactionJson, versionLimitOf } from './transaction-json.ts'

const MAX_RANGE = 500_000

export function blockMethods(node: SolanaNode): Methods {
  const { ledger } = node

  function blockAt(slot: number, commitment: Commitment): LedgerBlock {
    const first = ledger.firstBlock().slot
    if (slot < first) throw blockCleanedUp(slot, first)
    if (slot > ledger.tip(commitment).slot) throw blockNotAvailable(slot)
    const block = ledger.blockAt(slot)
    if (block === null) throw slotSkipped(slot)
    return block
  }

  return {
    getSlot: ([config]) => ledger.tip(readCommitment(node, configOf(config))).slot,
    getBlockHeight: ([config]) => ledger.tip(readCommitment(node, configOf(config))).height,
    getFirstAvailableBlock: () => ledger.firstBlock().slot,
    minimumLedgerSlot: () => ledger.firstBlock().slot,
    getTransactionCount: () => ledger.transactionCount(),
    getBlockTime: ([slot]) => blockAt(countOf(slot), 'confirmed').time,
    getBlocks([from, to, config]) {
      // The last slot is optional, and then the options come in its place.
      const [end, options] = typeof to === 'object' && to !== null ? [undefined, to] : [optionalCountOf(to), config]
      const [start, commitment] = [countOf(from), historyCommitmentOf(configOf(options))]
      const last = end ?? ledger.tip(commitment).slot
      if (last - start > MAX_RANGE) throw invalidParams(`Slot range too large; max ${MAX_RANGE}`)
      return ledger.slots(start, last, commitment)
    },
    getBlocksWithLimit([from, limit, config]) {
      if (countOf(limit) > MAX_RANGE) throw invalidParams(`Limit too large; max ${MAX_RANGE}`)
      const commitment = historyCommitmentOf(configOf(config))
      return ledger.slots(countOf(from), ledger.tip(commitment).slot, commitment, countOf(limit))
    },
    getBlock([slot, options]) {
      const config = typeof options === 'string' ? { encoding: options } : configOf(options)
      const block = blockAt(countOf(slot), historyCommitmentOf(config))
      const { blockhash, previousBlockhash, parentSlot, time, height } = block
      return {
        blockhash,
        previousBlockhash,
        parentSlot,
        blockTime: time,
        blockHeight: height,
        ...transactionsJson(block, config),
        ...(config.rewards !== false && { rewards: [] }),
      }
    },
  }
}

function transactionsJson({ transactions }: LedgerBlock, config: Config): object {
  switch (config.transactionDetails ?? 'full') {
    case 'none':
      return {}
    case 'signatures':
      return { signatures: transactions.map(({ wire }) => wire.signature) }
    case 'full':
      return { transactions: transactions.map((mined) => transactionJson(mined, config.encoding, versionLimitOf(config))) }
    case 'accounts':
      return { transactions: transactions.map((mined) => transactionAccountsJson(mined, versionLimitOf(config))) }
    default:
      throw invalidParams(
        `Invalid params: unknown variant \`${String(config.transactionDetails)}\`, expected one of \`full\`, \`signatures\`, \`none\`, \`accounts\`.`,
      )
  }
}
