/** Reads what the SDK needs from an Esplora server. */
import type { Node } from '@tandem/chain-kit/browser/family.ts'
import { askNode, findAtNode } from '@tandem/chain-kit/browser/request.ts'

export type Utxo = { readonly outpoint: string; readonly amount: bigint; readonly height: bigint | null }

type UtxoJson = {
  readonly txid: string
  readonly vout: number
  readonly value: number
  readonly status: { readonly confirmed: boolean; readonly block_height?: number }
}

export async function utxosOf(node: Node, address: string): Promise<readonly Utxo[]> {
  const found = JSON.parse(await askNode(node, `/address/${address}/utxo`)) as readonly UtxoJson[]
  return found.map(({ txid, vout, value, status }) => ({
    outpoint: `${txid}:${vout}`,
    amount: BigInt(value),
    height: status.confirmed ? BigInt(status.block_height ?? 0) : null,
  }))
}

/** Nobody can spend the reward of a block for 100 blocks. */
export async function isReward(node: Node, outpoint: string): Promise<boolean> {
  const [txid] = outpoint.split(':')
  const { vin } = JSON.parse(await askNode(node, `/tx/${txid}`)) as { readonly vin: readonly { readonly is_coinbase: boolean }[] }
  return vin.some(({ is_coinbase }) => is_coinbase)
}

type StatsJson = { readonly funded_txo_sum: number; readonly spent_txo_sum: number }

/** The sums include unconfirmed payments. */
export async function historyOf(node: Node, address: string): Promise<{ readonly funded: bigint; readonly spent: bigint }> {
  const { chain_stats: mined, mempool_stats: waiting } = JSON.parse(await askNode(node, `/address/${address}`)) as {
    readonly chain_stats: StatsJson
    readonly mempool_stats: StatsJson
  }
  return {
    funded: BigInt(mined.funded_txo_sum) + BigInt(waiting.funded_txo_sum),
    spent: BigInt(mined.spent_txo_sum) + BigInt(waiting.spent_txo_sum),
  }
}

/** `time` is in unix seconds. */
export async function newestBlock(node: Node): Promise<{ readonly height: bigint; readonly time: bigint }> {
  const hash = await askNode(node, '/blocks/tip/hash')
  const { height, timestamp } = JSON.parse(await askNode(node, `/block/${hash}`)) as { readonly height: number; readonly timestamp: number }
  return { height: BigInt(height), time: BigInt(timestamp) }
}

export async function hashAt(node: Node, height: number): Promise<string | null> {
  return (await findAtNode(node, `/block-height/${height}`))?.trim() ?? null
}

export type Spent = { readonly outpoint: string; readonly amount: bigint; readonly address: string; readonly witness: readonly string[] }
export type Unconfirmed = { readonly tx: string; readonly fee: bigint; readonly inputs: readonly Spent[] }

type TransactionJson = {
  readonly txid: string
  readonly fee: number
  readonly status: { readonly confirmed: boolean }
  readonly vout: readonly { readonly value: number; readonly scriptpubkey_address?: string }[]
  readonly vin: readonly {
    readonly txid: string
    readonly vout: number
    readonly prevout: { readonly value: number; readonly scriptpubkey_address?: string } | null
    readonly witness?: readonly string[]
  }[]
}

export async function unconfirmedOf(node: Node, address: string): Promise<readonly Unconfirmed[]> {
  const found = JSON.parse(await askNode(node, `/address/${address}/txs/mempool`)) as readonly TransactionJson[]
  return found.map((one) => ({ tx: one.txid, fee: BigInt(one.fee), inputs: inputsOf(one) }))
}

function inputsOf({ vin }: TransactionJson): readonly Spent[] {
  return vin.map(({ txid, vout, prevout, witness = [] }) => ({
    outpoint: `${txid}:${vout}`,
    amount: BigInt(prevout?.value ?? 0),
    address: prevout?.scriptpubkey_address ?? '',
    witness,
  }))
}

type Mined = { readonly inputs: readonly Spent[]; readonly outputs: readonly { readonly address: string; readonly amount: bigint }[] }

export async function minedTransaction(node: Node, txid: string): Promise<Mined | null> {
  const text = await findAtNode(node, `/tx/${txid}`)
  const found = text === null ? null : (JSON.parse(text) as TransactionJson)
  if (found === null || !found.status.confirmed) return null
  const outputs = found.vout.map(({ value, scriptpubkey_address: address = '' }) => ({ address, amount: BigInt(value) }))
  return { inputs: inputsOf(found), outputs }
}

export async function spenderOf(outpoint: string, node: Node): Promise<{ readonly txid: string; readonly isMined: boolean } | null> {
  const [txid, vout] = outpoint.split(':')
  const found = JSON.parse(await askNode(node, `/tx/${txid}/outspend/${vout}`)) as {
    readonly spent: boolean
    readonly txid?: string
    readonly status?: { readonly confirmed: boolean } | null
  }
  return found.spent ? { txid: String(found.txid), isMined: found.status?.confirmed === true } : null
}

/** The rate is in satoshis per 1000 vB. It is rounded up: a slow redeem is worse than a dear one. */
export async function feeRate(node: Node, target: number): Promise<bigint | null> {
  const estimates = JSON.parse(await askNode(node, '/fee-estimates')) as Readonly<Record<string, number>>
  const rate = estimates[target]
  return rate === undefined ? null : BigInt(Math.ceil(rate * 1000))
}

export async function broadcast(node: Node, raw: string): Promise<string> {
  return askNode(node, '/tx', raw)
}
