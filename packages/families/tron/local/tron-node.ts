// Runs Tron's transactions in a real EVM, with Tron's rules for their validity and cost.

import type { EdrProvider } from '@tandem/evm/local/edr-provider.ts'
import { createEvmNode, type EvmNode, type MiningPolicy, type ReorgOptions } from '@tandem/evm/local/evm-node.ts'
import { type Address, type Hex, hexToBytes, numberToHex } from 'viem'
import { BroadcastRefusal, type TronTransaction } from './tron-transaction.ts'
import { createTronView, type EvmLog, type TronBlock } from './tron-view.ts'

export const ENERGY_PRICE_SUN = 100n
/** A block is solid when two thirds of 27 representatives have built on it. */
const SOLID_DEPTH = 18
const MAX_GAS = 30_000_000n

export type MinedTransaction = {
  readonly transaction: TronTransaction
  readonly block: TronBlock
  readonly result: 'SUCCESS' | 'REVERT' | 'OUT_OF_ENERGY'
  readonly energy: bigint
  readonly energyFeeSun: bigint
  readonly netFeeSun: bigint
  readonly logs: readonly EvmLog[]
  readonly output: Hex
}

export interface TronNode {
  readonly chainId: number
  /** The EVM below answers this call after the calls before it. */
  evm(method: string, params?: readonly unknown[]): Promise<unknown>
  /** Throws BroadcastRefusal unless the transaction is in the mempool afterwards. */
  broadcast(transaction: TronTransaction): Promise<void>
  block(which: number | 'latest' | 'solid'): Promise<TronBlock | null>
  pooled(id: string): TronTransaction | null
  mined(id: string): Promise<MinedTransaction | null>
  /** The EVM knows the transaction by this hash. */
  idOf(evmHash: string): string | null
  contract(address: Address): TronTransaction['creation'] | null
  setMining(policy: MiningPolicy): void
  reorg(depth: number, options?: ReorgOptions): Promise<void>
  /** The node accepts the next `count` transactions and forgets them. */
  drop(count: number): void
  stop(): Promise<void>
}

type Inclusion = { readonly transaction: TronTransaction; readonly evmHash: Hex; readonly gas: bigint; height: number | null }

export async function createTronNode(edr: EdrProvider, chainId: number, mining: MiningPolicy): Promise<TronNode> {
  const pool = new Map<string, TronTransaction>()
  /** Refused broadcasts count too: java-tron keeps the ids with `node.rpc.trxCacheEnable`. */
  const seen = new Set<string>()
  const included = new Map<string, Inclusion>()
  const ids = new Map<string, string>()
  const contracts = new Map<Address, NonNullable<TronTransaction['creation']>>()
  let undone: 'return' | 'drop' = 'return'
  let dropsLeft = 0

  const ask = (method: string, params: readonly unknown[]) => edr.request({ method, params })
  const inside = createTronView(ask, chainId, (hash) => ids.get(hash))
  const node: EvmNode = await createEvmNode(edr, mining, {
    before: (replacing) => (replacing ? noticeUndone() : fillBlock()),
    after: finishBlock,
  })
  const evm = (method: string, params: readonly unknown[] = []) => node.request({ method, params })
  const outside = createTronView(evm, chainId, (hash) => ids.get(hash))

  /** A reorg returns transactions of replaced blocks to the mempool, or drops them. */
  async function noticeUndone(): Promise<void> {
    const { height: head } = await inside.latest()
    const waiting = [...pool.values()]
    pool.clear()
    for (const { transaction, height } of [...included.values()]) {
      if (height === null || height <= head) continue
      included.delete(transaction.id)
      if (transaction.creation !== undefined) contracts.delete(transaction.to)
      if (undone === 'return') pool.set(transaction.id, transaction)
      else seen.delete(transaction.id)
    }
    for (const transaction of waiting) pool.set(transaction.id, transaction)
  }

  async function fillBlock(): Promise<void> {
    await ask('hardhat_setNextBlockBaseFeePerGas', ['0x0'])
    const head = await inside.latest()
    const spent = new Map<Address, bigint>()
    for (const transaction of [...pool.values()]) {
      pool.delete(transaction.id)
      const { id, owner, to, data, valueSun, creation } = transaction
      if ((await inside.refusalAfter(head, transaction)) !== null) continue
      const left = (await inside.balance(owner)) - (spent.get(owner) ?? 0n) - valueSun - netFee(transaction)
      if (left < 0n) continue
      const energyLimit = min(left, transaction.feeLimitSun) / ENERGY_PRICE_SUN
      const gas = min(intrinsicGas(data) + energyLimit, MAX_GAS)
      spent.set(owner, (spent.get(owner) ?? 0n) + valueSun + gas * ENERGY_PRICE_SUN)
      await ask('hardhat_impersonateAccount', [owner])
      // Run the init code at the contract's future address, so that it sees its own address and storage.
      if (creation !== undefined) await ask('hardhat_setCode', [to, creation.bytecode])
      const fees = { gas: numberToHex(gas), gasPrice: numberToHex(ENERGY_PRICE_SUN) }
      const evmHash = (await ask('eth_sendTransaction', [{ from: owner, to, data, value: numberToHex(valueSun), ...fees }])) as Hex
      included.set(id, { transaction, evmHash, gas, height: null })
      ids.set(evmHash, id)
    }
  }

  async function finishBlock(): Promise<void> {
    for (const inclusion of [...included.values()]) {
      if (inclusion.height !== null) continue
      const { transaction, evmHash } = inclusion
      const receipt = await inside.receipt(evmHash)
      if (receipt === null) {
        // The block was full: retry in the next one.
        await ask('hardhat_dropTransaction', [evmHash])
        included.delete(transaction.id)
        pool.set(transaction.id, transaction)
        continue
      }
      inclusion.height = Number(receipt.blockNumber)
      if (transaction.creation === undefined) continue
      const isMade = receipt.status === '0x1'
      await ask('hardhat_setCode', [transaction.to, isMade ? await inside.output(evmHash) : '0x'])
      if (isMade) contracts.set(transaction.to, transaction.creation)
    }
  }

  return {
    chainId,
    evm,
    async broadcast(transaction) {
      const { id, owner, to, data, valueSun, creation } = transaction
      if (seen.has(id)) throw new BroadcastRefusal('DUP_TRANSACTION_ERROR', 'Transaction already exists.')
      seen.add(id)
      const refusal = await outside.refusalAfter(await outside.latest(), transaction)
      if (refusal !== null) throw refusal
      if ((await outside.balance(owner)) < netFee(transaction) + valueSun)
        throw new BroadcastRefusal('BANDWITH_ERROR', 'account resource insufficient error')
      if (creation === undefined && data !== '0x' && (await evm('eth_getCode', [to, 'latest'])) === '0x')
        throw new BroadcastRefusal('CONTRACT_VALIDATE_ERROR', 'No contract or not a smart contract')
      if (dropsLeft > 0) {
        dropsLeft -= 1
        seen.delete(id)
        return
      }
      pool.set(id, transaction)
      node.announce()
    },
    async block(which) {
      if (which !== 'solid') return outside.block(which)
      return outside.block(Math.max(0, (await outside.latest()).height - SOLID_DEPTH))
    },
    pooled: (id) => pool.get(id) ?? null,
    async mined(id) {
      const inclusion = included.get(id)
      if (inclusion === undefined || inclusion.height === null) return null
      const { transaction, evmHash, gas, height } = inclusion
      const [receipt, block] = [await outside.receipt(evmHash), await outside.block(height)]
      if (receipt === null || block === null) return null
      const energy = BigInt(receipt.gasUsed) - intrinsicGas(transaction.data)
      return {
        transaction,
        block,
        result: receipt.status === '0x1' ? 'SUCCESS' : BigInt(receipt.gasUsed) >= gas ? 'OUT_OF_ENERGY' : 'REVERT',
        energy,
        energyFeeSun: energy * ENERGY_PRICE_SUN,
        netFeeSun: netFee(transaction),
        logs: receipt.logs,
        output: await outside.output(evmHash),
      }
    },
    idOf: (evmHash) => ids.get(evmHash) ?? null,
    contract: (address) => contracts.get(address) ?? null,
    setMining: node.setMining,
    async reorg(depth, { transactions = 'return', ...options } = {}) {
      if (depth > SOLID_DEPTH) throw new RangeError(`cannot replace ${depth} blocks: blocks are solid at depth ${SOLID_DEPTH}`)
      undone = transactions
      await node.reorg(depth, { ...options, transactions: 'drop' })
    },
    drop(count) {
      dropsLeft = count
    },
    stop: node.stop,
  }
}

/**
 * The EVM's charge for a transaction's bytes stands for Tron's bandwidth, which is counted apart from energy. Only its price differs from
 * the real one.
 */
export function intrinsicGas(data: Hex): bigint {
  return hexToBytes(data).reduce((gas, byte) => gas + (byte === 0 ? 4n : 16n), 21_000n)
}

function netFee({ data }: TronTransaction): bigint {
  return intrinsicGas(data) * ENERGY_PRICE_SUN
}

function min(value: bigint, maximum: bigint): bigint {
  return value < maximum ? value : maximum
}
