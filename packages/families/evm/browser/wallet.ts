/** Wraps wallets of EVM chains: any EIP-1193 provider, a viem wallet client, or an ethers signer. It imports none of these libraries. */

import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import type { TypedData } from '../terms/one-signature.ts'

export type EvmCall = { readonly from: string; readonly to: string; readonly data: string; readonly value: bigint }

export interface EvmWallet extends Wallet {
  /** Resolves once the wallet has sent the call. `mined` resolves once it is in a block, and rejects if it reverted. */
  send(chainId: number, call: EvmCall): Promise<SentTransaction>
  /** The wallet signs by eth_signTypedData_v4. */
  signTypedData(chainId: number, from: string, typedData: TypedData): Promise<string>
  /** The call is an eth_call at the newest block of the wallet's own node. */
  call(chainId: number, to: string, data: string): Promise<string>
}

export type SentTransaction = { readonly hash: string; mined(signal?: AbortSignal): Promise<void> }

const FAMILIES = ['evm', 'hypercore'] as const
const RECEIPT_POLL_MS = 500

export interface Eip1193Provider {
  request(args: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

/** `address` is one of the provider's accounts. The default is its first, for which the provider may ask the user. */
export function eip1193Wallet(provider: Eip1193Provider, address?: string): EvmWallet {
  async function account(): Promise<string> {
    if (address !== undefined) return address
    const [first] = (await provider.request({ method: 'eth_requestAccounts' })) as readonly string[]
    if (first === undefined) throw new Error('the wallet gives access to no account')
    return first
  }

  /** A wallet that does not know the chain refuses EIP-3326's request with a message that names the cause. */
  async function useChain(chainId: number): Promise<void> {
    const current = (await provider.request({ method: 'eth_chainId' })) as string
    if (BigInt(current) === BigInt(chainId)) return
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: toHex(BigInt(chainId)) }] })
  }

  return {
    families: FAMILIES,
    address: account,
    async send(chainId, { from, to, data, value }) {
      await useChain(chainId)
      const hash = (await provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, to, data, value: toHex(value) }],
      })) as string
      return { hash, mined: (signal) => untilMined(provider, hash, signal) }
    },
    async signTypedData(chainId, from, typedData) {
      await useChain(chainId)
      return (await provider.request({ method: 'eth_signTypedData_v4', params: [from, JSON.stringify(typedData)] })) as string
    },
    async call(chainId, to, data) {
      await useChain(chainId)
      return (await provider.request({ method: 'eth_call', params: [{ to, data }, 'latest'] })) as string
    },
  }
}

export interface ViemWalletClient {
  readonly account: { readonly address: string }
  sendTransaction(args: never): Promise<string>
  signTypedData(args: never): Promise<string>
  request(args: never): Promise<unknown>
}

/** viem holds the key of this account. For an injected wallet there is `eip1193Wallet`. */
export function viemWallet(client: ViemWalletClient): EvmWallet {
  // The parameters of viem's methods depend on the client's own types; what is passed here is valid for every client.
  const { account, sendTransaction, signTypedData, request } = client as unknown as {
    readonly account: ViemWalletClient['account']
    sendTransaction(args: object): Promise<string>
    signTypedData(args: object): Promise<string>
    request: Eip1193Provider['request']
  }
  const assertChain = async (chainId: number) => assertSameChain(chainId, (await request({ method: 'eth_chainId' })) as string)
  return {
    families: FAMILIES,
    address: async () => account.address,
    async send(chainId, { from, to, data, value }) {
      assertSameAccount(from, account.address)
      await assertChain(chainId)
      const hash = await sendTransaction({ account, chain: null, to, data, value })
      return { hash, mined: (signal) => untilMined({ request }, hash, signal) }
    },
    async signTypedData(_, __, { domain, types, primaryType, message }) {
      return signTypedData({ account, domain, types, primaryType, message })
    },
    async call(chainId, to, data) {
      await assertChain(chainId)
      return (await request({ method: 'eth_call', params: [{ to, data }, 'latest'] })) as string
    },
  }
}

export interface EthersSigner {
  getAddress(): Promise<string>
  sendTransaction(request: {
    to: string
    data: string
    value: bigint
  }): Promise<{ hash: string; wait(): Promise<{ status?: number | null } | null> }>
  signTypedData(domain: object, types: Record<string, { name: string; type: string }[]>, message: Record<string, unknown>): Promise<string>
  readonly provider: { getNetwork(): Promise<{ chainId: bigint }>; call(request: { to: string; data: string }): Promise<string> } | null
}

export function ethersWallet(signer: EthersSigner): EvmWallet {
  async function connected(chainId: number) {
    const { provider } = signer
    if (provider === null) throw new Error('the signer has no provider: connect it to one')
    assertSameChain(chainId, (await provider.getNetwork()).chainId)
    return provider
  }

  return {
    families: FAMILIES,
    address: () => signer.getAddress(),
    async send(chainId, { from, to, data, value }) {
      assertSameAccount(from, await signer.getAddress())
      await connected(chainId)
      const sent = await signer.sendTransaction({ to, data, value })
      return {
        hash: sent.hash,
        async mined() {
          if ((await sent.wait())?.status !== 1) throw new Error(`the transaction ${sent.hash} reverted`)
        },
      }
    },
    signTypedData(_, __, { domain, types, message }) {
      // ethers derives EIP712Domain from the domain, and refuses a type that it is given twice.
      const { EIP712Domain: _derived, ...others } = types
      const copied = Object.entries(others).map(([name, fields]) => [name, fields.map((field) => ({ ...field }))])
      return signer.signTypedData(domain, Object.fromEntries(copied), message)
    },
    call: async (chainId, to, data) => (await connected(chainId)).call({ to, data }),
  }
}

/** A deposit of another account belongs to no order: the solver could take it with the secret, and the SDK could not refund it. */
function assertSameAccount(expected: string, actual: string): void {
  if (actual.toLowerCase() !== expected.toLowerCase()) throw new Error(`the wallet's account is ${actual}, expected ${expected}`)
}

function assertSameChain(expected: number, actual: string | bigint): void {
  if (BigInt(actual) !== BigInt(expected)) throw new Error(`the wallet is connected to chain ${BigInt(actual)}, expected ${expected}`)
}

async function untilMined(provider: Eip1193Provider, hash: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const receipt = (await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as { status: string } | null
    if (receipt !== null) {
      if (BigInt(receipt.status) !== 1n) throw new Error(`the transaction ${hash} reverted`)
      return
    }
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_POLL_MS))
  }
}

function toHex(value: bigint): string {
  return `0x${value.toString(16)}`
}
