/** The part of Esplora's HTTP interface that the SDK uses. */
import type { Node } from '../family.ts'

export type Utxo = { readonly outpoint: string; readonly amount: bigint; readonly height: bigint | null }

type UtxoJson = {
  readonly txid: string
  readonly vout: number
  readonly value: number
  readonly status: { readonly confirmed: boolean; readonly block_height?: number }
}

export async function utxosOf(node: Node, address: string): Promise<readonly Utxo[]> {
  const found = JSON.parse(await ask(node, `/address/${address}/utxo`)) as readonly UtxoJson[]
  return found.map(({ txid, vout, value, status }) => ({
    outpoint: `${txid}:${vout}`,
    amount: BigInt(value),
    height: status.confirmed ? BigInt(status.block_height ?? 0) : null,
  }))
}

export async function tipHeight(node: Node): Promise<bigint> {
  return BigInt(await ask(node, '/blocks/tip/height'))
}

/** Satoshis per 1000 vB for a block within `target`; null if the node has no estimate. Rounded up: a slow redeem is worse than a dear one. */
export async function feeRate(node: Node, target: number): Promise<bigint | null> {
  const estimates = JSON.parse(await ask(node, '/fee-estimates')) as Readonly<Record<string, number>>
  const rate = estimates[target]
  return rate === undefined ? null : BigInt(Math.ceil(rate * 1000))
}

/** Resolves to the transaction id. */
export async function broadcast(node: Node, raw: string): Promise<string> {
  return ask(node, '/tx', raw)
}

async function ask({ url, fetch, signal }: Node, path: string, body?: string): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    ...(body !== undefined && { method: 'POST', body }),
    ...(signal !== undefined && { signal }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: the node answered ${response.status}: ${text.slice(0, 300)}`)
  return text
}
