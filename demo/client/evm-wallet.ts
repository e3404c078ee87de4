/** A user's wallet on an EVM chain: signs, sends, and reads balances over plain JSON-RPC. */
import { type Address, createPublicClient, createWalletClient, defineChain, erc20Abi, type Hex, http, type TypedDataDefinition } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { TransactionRequest } from './api-client.ts'

export interface EvmWallet {
  readonly address: Address
  /** Resolves once it is mined; rejects when it reverted. */
  send(request: TransactionRequest): Promise<Hex>
  signTypedData(typedData: Record<string, unknown>): Promise<Hex>
  /** Without a token: the native coin. */
  balance(owner: string, token?: string): Promise<bigint>
  approve(token: string, spender: string, amount: bigint): Promise<Hex>
}

export function createEvmWallet(options: { readonly rpcUrl: string; readonly chainId: number; readonly privateKey: string }): EvmWallet {
  const account = privateKeyToAccount(options.privateKey as Hex)
  const chain = defineChain({
    id: options.chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [options.rpcUrl] } },
  })
  const wallet = createWalletClient({ account, chain, transport: http(options.rpcUrl) })
  const reader = createPublicClient({ chain, transport: http(options.rpcUrl), pollingInterval: 100 })

  async function confirmed(hash: Hex): Promise<Hex> {
    const receipt = await reader.waitForTransactionReceipt({ hash, timeout: 60_000 })
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} reverted`)
    return hash
  }

  return {
    address: account.address,
    async send(request) {
      const hash = await wallet.sendTransaction({
        to: request.to,
        data: request.data,
        value: BigInt(request.value),
        gas: BigInt(request.gas_limit),
      })
      return confirmed(hash)
    },
    signTypedData: (typedData) => account.signTypedData(typedData as TypedDataDefinition),
    balance: (owner, token) =>
      token === undefined
        ? reader.getBalance({ address: owner as Address })
        : reader.readContract({ abi: erc20Abi, address: token as Address, functionName: 'balanceOf', args: [owner as Address] }),
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
  }
}
