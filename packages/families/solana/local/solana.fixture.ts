// Starts a chain for tests, with raw JSON-RPC requests and a payer with SOL whose transactions are signed here.
import { randomBytes } from 'node:crypto'
import { type Address, createNoopSigner, type Instruction } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { createLocalSigner, type LocalSigner, signTransaction } from './local-signer.ts'
import { type SolanaChain, type SolanaChainOptions, startSolanaChain } from './solana-chain.ts'
import type { WireTransaction } from './wire-transaction.ts'

export const SOL = 1_000_000_000n

type RpcFailure = { readonly code: number; readonly message: string; readonly data?: unknown }

export interface SolanaFixture {
  readonly chain: SolanaChain
  /** The payer has 100 SOL, finalized. */
  readonly payer: LocalSigner
  call(method: string, ...params: readonly unknown[]): Promise<unknown>
  failure(method: string, ...params: readonly unknown[]): Promise<RpcFailure>
  post(body: string): Promise<string>
  sign(instructions: readonly Instruction[], others?: readonly LocalSigner[], blockhash?: string): WireTransaction
  transfer(to: Address, amount: bigint, from?: LocalSigner): Instruction
  send(wire: WireTransaction, config?: object): Promise<string>
  close(): Promise<void>
}

export const newSigner = () => createLocalSigner(randomBytes(32))
export const base64 = ({ bytes }: WireTransaction) => Buffer.from(bytes).toString('base64')

export async function openSolanaFixture(options: SolanaChainOptions = { mining: 'manual' }): Promise<SolanaFixture> {
  const chain = await startSolanaChain(options)
  const { node } = chain
  const payer = newSigner()
  chain.airdrop(payer.address, 100n * SOL)
  chain.mine(40)

  async function post(body: string): Promise<string> {
    return (await fetch(chain.url, { method: 'POST', body })).text()
  }

  async function ask(method: string, params: readonly unknown[]): Promise<{ readonly result?: unknown; readonly error?: RpcFailure }> {
    return JSON.parse(await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))
  }

  async function call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const { result, error } = await ask(method, params)
    if (error !== undefined) throw Object.assign(new Error(error.message), error)
    return result
  }

  return {
    chain,
    payer,
    call,
    async failure(method, ...params) {
      const { result, error } = await ask(method, params)
      if (error === undefined) throw new Error(`${method} succeeded: ${JSON.stringify(result)}`)
      return error
    },
    post,
    sign(instructions, others = [], blockhash = node.ledger.tip('processed').blockhash) {
      return signTransaction(instructions, [payer, ...others], { blockhash, lastValidBlockHeight: Number.MAX_SAFE_INTEGER })
    },
    transfer: (destination, amount, from = payer) =>
      getTransferSolInstruction({ source: createNoopSigner(from.address), destination, amount }),
    send: async (wire, config = {}) =>
      String(await call('sendTransaction', base64(wire), { encoding: 'base64', preflightCommitment: 'processed', ...config })),
    close: () => chain.close(),
  }
}
