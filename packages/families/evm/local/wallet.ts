/** Imitates a user's wallet on an EVM chain: it signs, sends, and reads balances over plain JSON-RPC. */

import type { LocalChainJson, LocalWallet, OrderToFund } from '@tandem/chain-kit/local/local-chain.ts'
import type { TransactionRequest } from '@tandem/protocol/funding/calls.ts'
import { type Address, createPublicClient, createWalletClient, defineChain, erc20Abi, type Hex, http, type TypedDataDefinition } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

export interface EvmWallet extends LocalWallet {
  readonly address: Address
  send(request: TransactionRequest): Promise<Hex>
  signTypedData(typedData: Record<string, unknown>): Promise<Hex>
  signInitiation(order: OrderToFund): Promise<string>
  /** Without a token, the balance is that of the native coin. */
  balanceOf(owner: string, token?: string): Promise<bigint>
  approve(token: string, spender: string, amount: bigint): Promise<Hex>
  rpc(method: string, ...params: readonly unknown[]): Promise<unknown>
}

/** The limit only ends a request that hangs: after its own shorter one viem sends a transaction again, which the node knows by then. */
const LIMIT_MS = 120_000

export function openEvmWallet(local: LocalChainJson, privateKey: string): EvmWallet {
  const rpcUrl = String(local.rpc_url)
  const account = privateKeyToAccount(privateKey as Hex)
  const chain = defineChain({
    id: Number(local.chain_id),
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const transport = http(rpcUrl, { timeout: LIMIT_MS })
  const wallet = createWalletClient({ account, chain, transport })
  const reader = createPublicClient({ chain, transport, pollingInterval: 100 })

  async function confirmed(hash: Hex): Promise<Hex> {
    const receipt = await reader.waitForTransactionReceipt({ hash, timeout: LIMIT_MS })
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} reverted`)
    return hash
  }

  async function send({ to, data, value, gas_limit }: TransactionRequest): Promise<Hex> {
    return confirmed(await wallet.sendTransaction({ to: to as Address, data: data as Hex, value: BigInt(value), gas: BigInt(gas_limit) }))
  }

  async function sendApproval({ approval_reset_transaction: reset, approval_transaction: approval }: OrderToFund): Promise<void> {
    if (reset) await send(reset)
    if (approval) await send(approval)
  }

  const signTypedData = (typedData: Record<string, unknown>) => account.signTypedData(typedData as TypedDataDefinition)

  const balanceOf = (owner: string, token?: string): Promise<bigint> =>
    token === undefined
      ? reader.getBalance({ address: owner as Address })
      : reader.readContract({ abi: erc20Abi, address: token as Address, functionName: 'balanceOf', args: [owner as Address] })

  const rpc = (method: string, ...params: readonly unknown[]) =>
    reader.transport.request({ method, params: [...params] }) as Promise<unknown>

  return {
    address: account.address,
    send,
    signTypedData,
    balance: (asset) => balanceOf(account.address, local.assets[asset]?.token),
    balanceOf,
    async fund(order) {
      if (order.initiate_transaction === undefined) throw new Error('POST /orders named no transaction to send')
      await sendApproval(order)
      return send(order.initiate_transaction)
    },
    async signInitiation(order) {
      if (!order.typed_data) throw new Error('POST /orders named nothing to sign')
      await sendApproval(order)
      return signTypedData(order.typed_data)
    },
    async approve(token, spender, amount) {
      return confirmed(
        await wallet.writeContract({
          abi: erc20Abi,
          address: token as Address,
          functionName: 'approve',
          args: [spender as Address, amount],
        }),
      )
    },
    rpc,
    async passTime(seconds) {
      await rpc('evm_increaseTime', seconds)
      await rpc('evm_mine')
    },
  }
}
