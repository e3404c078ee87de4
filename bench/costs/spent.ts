/** What the parties paid for transactions, read from the receipts of all blocks since a moment. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'

export type Spent = { readonly transactions: number; readonly gas: bigint; readonly wei: bigint }

type Urls = ReadonlyMap<ChainId, string>
type Receipt = { readonly from: string; readonly gasUsed: string; readonly effectiveGasPrice: string }

/** The newest block of each chain. */
export async function takeBlocks(urls: Urls): Promise<ReadonlyMap<ChainId, bigint>> {
  const heights = [...urls].map(async ([id, url]) => [id, BigInt(await ask<string>(url, 'eth_blockNumber', []))] as const)
  return new Map(await Promise.all(heights))
}

/** Of everyone but the user. */
export async function readSpent(urls: Urls, since: ReadonlyMap<ChainId, bigint>, user: string): Promise<Readonly<Record<ChainId, Spent>>> {
  const spent: Record<ChainId, Spent> = {}
  const newest = await takeBlocks(urls)
  for (const [id, url] of urls) {
    const receipts: Receipt[] = []
    for (let height = (since.get(id) ?? 0n) + 1n; height <= (newest.get(id) ?? 0n); height++) {
      const { transactions } = await ask<{ readonly transactions: readonly string[] }>(url, 'eth_getBlockByNumber', [
        `0x${height.toString(16)}`,
        false,
      ])
      for (const tx of transactions) receipts.push(await ask<Receipt>(url, 'eth_getTransactionReceipt', [tx]))
    }
    const ours = receipts.filter(({ from }) => from.toLowerCase() !== user)
    spent[id] = {
      transactions: ours.length,
      gas: ours.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n),
      wei: ours.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice), 0n),
    }
  }
  return spent
}

async function ask<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await answer.json()) as { readonly result: T }).result
}
