// Sends transactions of one account on a local chain, each mined before the caller goes on.
import type { Address, Hex, RpcTransactionReceipt } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { EvmChain } from './evm-chain.ts'
import { createSerialQueue } from './serial-queue.ts'

export interface OutgoingTransaction {
  readonly to?: Address
  readonly data?: Hex
  readonly value?: bigint
  /** The default limit is 3,000,000. */
  readonly gas?: bigint
}

export interface EvmSender {
  readonly address: Address
  send(transactions: readonly OutgoingTransaction[]): Promise<RpcTransactionReceipt[]>
}

const gas = 3_000_000n
const maxPriorityFeePerGas = 1_000_000_000n
/** Local blocks are never full for long, so the base fee cannot climb here. */
const maxFeePerGas = 1_000_000_000_000n

export function createEvmSender(chain: Pick<EvmChain, 'chainId' | 'request'>, key: Hex): EvmSender {
  const account = privateKeyToAccount(key)
  /** Two concurrent sends would take the same nonce, so they are queued. */
  const queue = createSerialQueue()

  async function sendNow(transactions: readonly OutgoingTransaction[]): Promise<RpcTransactionReceipt[]> {
    const firstNonce = Number(await chain.request({ method: 'eth_getTransactionCount', params: [account.address, 'pending'] }))
    const hashes: unknown[] = []
    for (const [index, transaction] of transactions.entries()) {
      const nonce = firstNonce + index
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId: chain.chainId,
        nonce,
        gas,
        maxFeePerGas,
        maxPriorityFeePerGas,
        ...transaction,
      })
      hashes.push(await chain.request({ method: 'eth_sendRawTransaction', params: [raw] }))
    }
    await chain.request({ method: 'evm_mine' })
    return Promise.all(hashes.map(receiptOf))
  }

  async function receiptOf(hash: unknown): Promise<RpcTransactionReceipt> {
    const receipt = (await chain.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as RpcTransactionReceipt | null
    if (receipt?.status !== '0x1') throw new Error(`transaction ${hash} ${receipt === null ? 'was not mined' : 'reverted'}`)
    return receipt
  }

  return { address: account.address, send: (transactions) => queue.run(() => sendNow(transactions)) }
}
