// Answers the methods about blocks and the node itself.
import { hex } from '../felt.ts'
import { headerJson, receiptJson, statusOf, transactionJson } from './block-json.ts'
import type { Context, Methods } from './context.ts'
import { blockParam, countParam, type FoundBlock } from './params.ts'
import { invalidTransactionIndex } from './rpc-error.ts'

export function blockMethods({ node, specVersion, nextBlock }: Context): Methods {
  const { ledger, chain } = node
  const byId = (show: (block: FoundBlock) => unknown, params: readonly string[] = ['block_id']) => ({
    params,
    answer: (given: Readonly<Record<string, unknown>>) => show(blockParam(ledger, nextBlock, given)),
  })
  const header = (block: FoundBlock) => ({ status: statusOf(ledger, block), ...headerJson(block, chain.sequencer) })

  return {
    starknet_specVersion: { params: [], answer: () => specVersion },
    starknet_chainId: { params: [], answer: () => hex(chain.chainId) },
    starknet_syncing: { params: [], answer: () => false },
    starknet_blockNumber: { params: [], answer: () => ledger.tip().number },
    starknet_blockHashAndNumber: {
      params: [],
      answer: () => ({ block_hash: hex(ledger.tip().hash), block_number: ledger.tip().number }),
    },
    starknet_getBlockTransactionCount: byId((block) => block.transactions.length),
    starknet_getBlockWithTxHashes: byId((block) => ({
      ...header(block),
      transactions: block.transactions.map(({ transaction }) => hex(transaction.hash)),
    })),
    starknet_getBlockWithTxs: byId(
      (block) => ({ ...header(block), transactions: block.transactions.map(transactionJson) }),
      ['block_id', 'response_flags'],
    ),
    starknet_getBlockWithReceipts: byId(
      (block) => ({
        ...header(block),
        transactions: block.transactions.map((mined) => ({
          transaction: mined.transaction.json,
          receipt: receiptJson(ledger, mined, block),
        })),
      }),
      ['block_id', 'response_flags'],
    ),
    starknet_getTransactionByBlockIdAndIndex: {
      params: ['block_id', 'index', 'response_flags'],
      answer(params) {
        const mined = blockParam(ledger, nextBlock, params).transactions[countParam(params, 'index')]
        if (mined === undefined) throw invalidTransactionIndex()
        return transactionJson(mined)
      },
    },
  }
}
