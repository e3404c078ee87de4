// Shows blocks of the EVM below in the form of Tron: ids that begin with the height, times in milliseconds, transactions by Tron's ids.
import { type Address, type Hex, numberToHex } from 'viem'
import { BroadcastRefusal, type TronTransaction } from './tron-transaction.ts'

export type TronBlock = {
  readonly height: number
  readonly id: string
  readonly parentId: string
  readonly timeMs: number
  readonly transactions: readonly string[]
}

export type EvmLog = {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: Hex
  readonly transactionHash: Hex
  readonly logIndex: Hex
}

type EvmBlock = {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestamp: Hex
  readonly transactions: readonly Hex[]
}

type EvmReceipt = { readonly status: Hex; readonly gasUsed: Hex; readonly blockNumber: Hex; readonly logs: readonly EvmLog[] }

export interface TronView {
  block(which: number | 'latest'): Promise<TronBlock | null>
  latest(): Promise<TronBlock>
  /** The refusal tells why the transaction cannot be in a block after `head`. */
  refusalAfter(head: TronBlock, transaction: TronTransaction): Promise<BroadcastRefusal | null>
  balance(address: Address): Promise<bigint>
  receipt(evmHash: Hex): Promise<EvmReceipt | null>
  output(evmHash: Hex): Promise<Hex>
}

const MAX_EXPIRATION_MS = 24 * 3_600_000
/** A transaction must not expire before the next block, which comes after this time at the earliest. */
const SLOT_MS = 3_000

export function createTronView(
  ask: (method: string, params: readonly unknown[]) => Promise<unknown>,
  chainId: number,
  idOf: (evmHash: string) => string | undefined,
): TronView {
  function blockId(height: number, hash: Hex): string {
    // On Tron a chain's id is the end of the id of its first block.
    if (height === 0) return `${'0'.repeat(16)}${hash.slice(18, 58)}${chainId.toString(16).padStart(8, '0')}`
    return height.toString(16).padStart(16, '0') + hash.slice(18)
  }

  async function block(which: number | 'latest'): Promise<TronBlock | null> {
    const found = (await ask('eth_getBlockByNumber', [which === 'latest' ? which : numberToHex(which), false])) as EvmBlock | null
    if (found === null) return null
    const height = Number(found.number)
    return {
      height,
      id: blockId(height, found.hash),
      parentId: height === 0 ? '0'.repeat(64) : blockId(height - 1, found.parentHash),
      timeMs: Number(found.timestamp) * 1_000,
      transactions: found.transactions.flatMap((hash) => idOf(hash) ?? []),
    }
  }

  return {
    block,
    async latest() {
      const newest = await block('latest')
      if (newest === null) throw new Error('the chain has no newest block')
      return newest
    },
    async refusalAfter(head, { expirationMs, refBlockBytes, refBlockHash }) {
      const expiration = (message: string) => new BroadcastRefusal('TRANSACTION_EXPIRATION_ERROR', message)
      if (expirationMs < head.timeMs + SLOT_MS) return expiration('transaction expired')
      if (expirationMs > head.timeMs + MAX_EXPIRATION_MS) return expiration('the expiration is too far away')
      // TAPOS names the last two bytes of a height, and eight bytes of the id of the block there.
      const height = head.height - ((head.height - Number.parseInt(refBlockBytes, 16)) & 0xffff)
      const reference = height < 0 ? null : await block(height)
      if (reference?.id.slice(16, 32) === refBlockHash) return null
      return new BroadcastRefusal('TAPOS_ERROR', 'the block that the transaction refers to is not in this chain')
    },
    balance: async (address) => BigInt((await ask('eth_getBalance', [address, 'latest'])) as Hex),
    receipt: async (evmHash) => (await ask('eth_getTransactionReceipt', [evmHash])) as EvmReceipt | null,
    async output(evmHash) {
      const options = { disableStorage: true, disableMemory: true, disableStack: true }
      const { returnValue } = (await ask('debug_traceTransaction', [evmHash, options])) as { returnValue: string }
      return `0x${returnValue.replace(/^0x/, '')}`
    },
  }
}
