// Sends transactions of one account on the Tron simulator with TronWeb, each mined before the caller goes on.

import { createSerialQueue } from '@tandem/evm/local/serial-queue.ts'
import { TronWeb, type Types } from 'tronweb'
import { type Abi, encodeDeployData, type Hex } from 'viem'
import type { TronChain } from './tron-chain.ts'
import { openTronWeb } from './tron-web.ts'

export interface TronSender {
  readonly address: string
  /** Resolves to the id of the transaction; rejects unless it succeeded. */
  call(to: string, data: Hex): Promise<string>
  /** The amount of TRX is in sun. */
  transfer(to: string, sun: bigint): Promise<string>
  deploy(artifact: { readonly contractName: string; readonly abi: Abi; readonly bytecode: Hex }, args: readonly unknown[]): Promise<string>
}

const feeLimit = 1_000_000_000

export function createTronSender(chain: Pick<TronChain, 'url' | 'mine'>, key: Hex): TronSender {
  const tronWeb = openTronWeb(chain.url, key.slice(2))
  const address = tronWeb.defaultAddress.base58
  if (address === false) throw new Error('the key has no address')
  /** A transaction depends on the state after the one before, so they are queued. */
  const queue = createSerialQueue()

  const send = (build: () => Promise<Types.Transaction>): Promise<string> =>
    queue.run(async () => {
      const signed = await tronWeb.trx.sign(await build())
      const answer = await tronWeb.trx.sendRawTransaction(signed)
      if (!answer.result) throw new Error(`the node refused a transaction: ${answer.code}`)
      await chain.mine()
      const info = await tronWeb.trx.getUnconfirmedTransactionInfo(signed.txID)
      const failure = info.receipt?.result ?? 'SUCCESS'
      if (info.id === undefined || failure !== 'SUCCESS')
        throw new Error(`transaction ${signed.txID}: ${info.id === undefined ? 'not mined' : failure}`)
      return signed.txID
    })

  return {
    address,
    call: (to, data) =>
      send(
        async () =>
          (await tronWeb.transactionBuilder.triggerSmartContract(to, '', { input: data.slice(2), feeLimit }, [], address)).transaction,
      ),
    transfer: (to, sun) => send(() => tronWeb.transactionBuilder.sendTrx(to, Number(sun), address)),
    async deploy({ contractName, abi, bytecode }, args) {
      const data = encodeDeployData({ abi, bytecode, args: [...args] })
      let made = ''
      await send(async () => {
        const options = { abi: [], bytecode: data.slice(2), feeLimit, name: contractName }
        const transaction = await tronWeb.transactionBuilder.createSmartContract(options, address)
        made = TronWeb.address.fromHex(transaction.contract_address)
        return transaction
      })
      return made
    },
  }
}
