/** Sends the requests of the SDK to a Solana node. */
import { type Blockhash, getBase64Encoder, type ReadonlyUint8Array, type Signature } from '@solana/kit'
import type { Node } from '@tandem/chain-kit/browser/family.ts'
import { jsonRpc } from '@tandem/chain-kit/browser/request.ts'
import type { ExecutedInstruction } from '../contract/client/decode.ts'
import { parseTransaction, TRANSACTION_OPTIONS } from '../terms/nodes/read-transaction.ts'

const CONFIRMED = { commitment: 'confirmed' } as const

export type AccountInfo = { readonly slot: bigint; readonly account: Account | null }
type Account = { readonly owner: string; readonly lamports: bigint; readonly data: ReadonlyUint8Array }

type AccountAnswer = {
  readonly context: { readonly slot: number }
  readonly value: { readonly owner: string; readonly lamports: number | bigint; readonly data: readonly [string, 'base64'] } | null
}

export async function accountInfo(node: Node, address: string): Promise<AccountInfo> {
  const { context, value } = (await jsonRpc(node, 'getAccountInfo', [address, { ...CONFIRMED, encoding: 'base64' }])) as AccountAnswer
  if (value === null) return { slot: BigInt(context.slot), account: null }
  const { owner, lamports, data } = value
  // JSON has no integers above 2^53: nobody has as many lamports in one account.
  return { slot: BigInt(context.slot), account: { owner, lamports: BigInt(lamports), data: getBase64Encoder().encode(data[0]) } }
}

export async function genesisHash(node: Node): Promise<string> {
  return String(await jsonRpc(node, 'getGenesisHash', []))
}

export async function signaturesOf(node: Node, address: string, limit: number): Promise<readonly Signature[]> {
  const found = (await jsonRpc(node, 'getSignaturesForAddress', [address, { ...CONFIRMED, limit }])) as readonly {
    readonly signature: Signature
    readonly err: unknown
  }[]
  return found.flatMap(({ signature, err }) => (err === null ? [signature] : []))
}

export async function instructionsOf(node: Node, signature: Signature): Promise<readonly ExecutedInstruction[]> {
  const answer = await jsonRpc(node, 'getTransaction', [signature, TRANSACTION_OPTIONS])
  return answer === null ? [] : parseTransaction(signature, answer).instructions
}

export type ProgramAccount = { readonly address: string; readonly data: ReadonlyUint8Array }

export async function programAccounts(node: Node, program: string, offset: number, address: string): Promise<readonly ProgramAccount[]> {
  const given = { ...CONFIRMED, encoding: 'base64', filters: [{ memcmp: { offset, bytes: address } }] }
  const found = (await jsonRpc(node, 'getProgramAccounts', [program, given])) as readonly {
    readonly pubkey: string
    readonly account: { readonly data: readonly [string, 'base64'] }
  }[]
  return found.map(({ pubkey, account }) => ({ address: pubkey, data: getBase64Encoder().encode(account.data[0]) }))
}

export async function blocksIn(node: Node, from: bigint, to: bigint): Promise<readonly bigint[]> {
  const slots = (await jsonRpc(node, 'getBlocks', [Number(from), Number(to), CONFIRMED])) as readonly number[]
  return slots.map(BigInt)
}

/** The time is in unix seconds. */
export async function blockTime(node: Node, slot: bigint): Promise<bigint> {
  return BigInt((await jsonRpc(node, 'getBlockTime', [Number(slot)])) as number)
}

export async function latestBlockhash(node: Node): Promise<Blockhash> {
  const { value } = (await jsonRpc(node, 'getLatestBlockhash', [CONFIRMED])) as { value: { blockhash: Blockhash } }
  return value.blockhash
}

/** The price is in micro-lamports per compute unit. */
export async function priorityFee(node: Node, writable: readonly string[], percentile: number): Promise<bigint> {
  const fees = (await jsonRpc(node, 'getRecentPrioritizationFees', [writable])) as readonly { readonly prioritizationFee: number }[]
  const sorted = fees.map((one) => one.prioritizationFee).sort((a, b) => a - b)
  return BigInt(sorted[Math.min(Math.floor((sorted.length * percentile) / 100), sorted.length - 1)] ?? 0)
}
