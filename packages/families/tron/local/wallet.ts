/** Imitates a user's wallet on the Tron simulator by TronWeb, as users have it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalChainJson, LocalWallet, OrderToFund } from '@tandem/chain-kit/local/local-chain.ts'
import type { TransactionRequest } from '@tandem/protocol/funding/calls.ts'
import type { TronWeb } from 'tronweb'
import { openTronWeb } from './tron-web.ts'

export interface TronWallet extends LocalWallet {
  readonly tronWeb: TronWeb
  readonly privateKey: string
  send(request: TransactionRequest): Promise<string>
  signInitiation(order: OrderToFund): Promise<string>
}

const MINED_LIMIT_MS = 120_000
const POLL_MS = 50

const BALANCE_ABI = [
  {
    type: 'function',
    name: 'balanceOf',
    inputs: [{ name: 'who', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
    stateMutability: 'view',
  },
] as const

export function openTronWallet(local: LocalChainJson, key: string): TronWallet {
  const url = String(local.rpc_url)
  const privateKey = key.replace(/^0x/, '')
  const tronWeb = openTronWeb(url, privateKey)
  const address = tronWeb.defaultAddress.base58
  if (address === false) throw new Error('no address for this key')
  const owner = address

  async function send({ to, data, value, gas_limit }: TransactionRequest): Promise<string> {
    const options = { input: data.slice(2), feeLimit: Number(gas_limit), callValue: Number(value) }
    const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(to, '', options, [], owner)
    const { transaction: sent } = await tronWeb.trx.sendRawTransaction(await tronWeb.trx.sign(transaction))
    const end = Date.now() + MINED_LIMIT_MS
    while ((await tronWeb.trx.getUnconfirmedTransactionInfo(sent.txID)).receipt?.result !== 'SUCCESS') {
      if (Date.now() > end) throw new Error(`transaction ${sent.txID} did not succeed`)
      await sleep(POLL_MS)
    }
    return sent.txID
  }

  async function rpc(method: string, ...params: readonly unknown[]): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(`${url}/jsonrpc`, { method: 'POST', body })
    if (!response.ok) throw new Error(`${method}: ${await response.text()}`)
  }

  return {
    address,
    privateKey,
    tronWeb,
    async balance(asset) {
      const { token } = local.assets[asset] ?? {}
      if (token === undefined) return BigInt(await tronWeb.trx.getBalance(owner))
      return BigInt(await tronWeb.contract(BALANCE_ABI, token).methods.balanceOf(owner).call())
    },
    send,
    async fund({ approval_transaction: approval, initiate_transaction: initiate }) {
      if (initiate === undefined) throw new Error('POST /orders named no transaction to send')
      if (approval) await send(approval)
      return send(initiate)
    },
    async signInitiation({ approval_transaction: approval, typed_data: typedData }) {
      if (approval) await send(approval)
      return signInitiation(tronWeb, privateKey, typedData)
    },
    async passTime(seconds) {
      await rpc('evm_increaseTime', seconds)
      await rpc('evm_mine')
    },
  }
}

type TypedData = {
  readonly domain: Record<string, unknown>
  readonly types: Record<string, { name: string; type: string }[]>
  readonly message: Record<string, unknown>
}

/** docs/tron.md describes this signature: it leaves out the fields of the typed data of POST /orders that wallets do not sign. */
export function signInitiation(wallet: TronWeb, key: string, typedData: unknown): string {
  // A wallet gets the typed data as JSON.
  const { domain, types, message }: TypedData = JSON.parse(JSON.stringify(typedData))
  delete types.EIP712Domain
  types.Initiate = (types.Initiate ?? []).filter(({ name }) => name !== 'destinationData')
  delete message.destinationData
  return wallet.trx.signTypedData(domain, types, message, key.replace(/^0x/, ''))
}
