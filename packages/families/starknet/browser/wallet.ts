/** Connects to Starknet wallets with the wallet API (found by get-starknet) or an account of starknet.js. No library is imported. */
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'

/** `calldata` has felts as hex with 0x. */
export type StarknetCall = { readonly to: string; readonly entryPoint: string; readonly calldata: readonly string[] }

type TypedData = Readonly<Record<string, unknown>>

export interface StarknetWallet extends Wallet {
  /** All calls are one transaction. Resolves to its hash once the wallet has sent it. `chainId` is a felt. */
  execute(chainId: string, from: string, calls: readonly StarknetCall[]): Promise<string>
  /** The message is of SNIP-12. The signature is a list of felts. */
  signTypedData(chainId: string, from: string, typedData: TypedData): Promise<readonly string[]>
}

const FAMILIES = ['starknet'] as const

export interface StarknetWalletApi {
  request(call: never): Promise<unknown>
}

type Request = (call: { readonly type: string; readonly params?: unknown }) => Promise<unknown>

export function starknetWallet(wallet: StarknetWalletApi): StarknetWallet {
  // The parameters depend on the type of the request; those that are passed here are the specification's.
  const request = ((call: never) => wallet.request(call)) as Request

  async function account(): Promise<string> {
    const [first] = (await request({ type: 'wallet_requestAccounts', params: { silent_mode: false } })) as readonly string[]
    if (first === undefined) throw new Error('the wallet gives access to no account')
    return first
  }

  async function use(chainId: string, from: string): Promise<void> {
    const current = (await request({ type: 'wallet_requestChainId' })) as string
    if (BigInt(current) !== BigInt(chainId)) await request({ type: 'wallet_switchStarknetChain', params: { chainId } })
    assertSame(from, await account())
  }

  return {
    families: FAMILIES,
    address: account,
    async execute(chainId, from, calls) {
      await use(chainId, from)
      const written = calls.map(({ to, entryPoint, calldata }) => ({
        contract_address: to,
        entry_point: entryPoint,
        calldata: [...calldata],
      }))
      const sent = (await request({ type: 'wallet_addInvokeTransaction', params: { calls: written } })) as { transaction_hash: string }
      return sent.transaction_hash
    },
    async signTypedData(chainId, from, typedData) {
      await use(chainId, from)
      return (await request({ type: 'wallet_signTypedData', params: typedData })) as readonly string[]
    },
  }
}

export interface StarknetJsAccount {
  readonly address: string
  execute(calls: { contractAddress: string; entrypoint: string; calldata: string[] }[]): Promise<{ readonly transaction_hash: string }>
  signMessage(typedData: never): Promise<unknown>
  readonly provider: { getChainId(): Promise<string> }
}

export function starknetAccountWallet(account: StarknetJsAccount): StarknetWallet {
  async function use(chainId: string, from: string): Promise<void> {
    const current = await account.provider.getChainId()
    if (BigInt(current) !== BigInt(chainId)) throw new Error(`the account is on the chain ${current}, expected ${chainId}`)
    assertSame(from, account.address)
  }

  return {
    families: FAMILIES,
    address: async () => account.address,
    async execute(chainId, from, calls) {
      await use(chainId, from)
      const written = calls.map(({ to, entryPoint, calldata }) => ({
        contractAddress: to,
        entrypoint: entryPoint,
        calldata: [...calldata],
      }))
      return (await account.execute(written)).transaction_hash
    },
    async signTypedData(chainId, from, typedData) {
      await use(chainId, from)
      return feltsOf(await account.signMessage(typedData as never))
    },
  }
}

/** starknet.js gives a list of felts, or an object with r and s. */
function feltsOf(signature: unknown): readonly string[] {
  if (Array.isArray(signature)) return signature.map(hex)
  const { r, s } = signature as { readonly r: bigint; readonly s: bigint }
  return [hex(r), hex(s)]
}

function hex(felt: string | bigint): string {
  return `0x${BigInt(felt).toString(16)}`
}

function assertSame(expected: string, actual: string): void {
  if (BigInt(expected) !== BigInt(actual)) throw new Error(`the wallet's account is ${actual}, expected ${expected}`)
}
