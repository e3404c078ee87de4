/** Reads an HTLC over the JSON-RPC of an EVM node. */
import { encodeFunctionData, type Hex } from 'viem'
import { htlcErc20 } from '../../../../contracts/evm/artifacts/htlc-erc20.ts'
import { type HtlcContract, orderIdOf } from '../../../../src/chains/evm/htlc.ts'
import type { HtlcTerms } from '../../../../src/protocol/htlc.ts'
import type { Node } from '../family.ts'

/** The slot of an order holds 1 or 2 once it is settled, before that the time of its block: see `Htlc.sol`. */
const SETTLED = 2n

/** Confirmations are 1 or more: the depth is found by asking the contract at older blocks, up to 64. */
const DEEPEST = 64n

export async function readLock(contract: HtlcContract, terms: HtlcTerms, node: Node): Promise<{ readonly confirmations: number } | null> {
  const data = encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiatedAt', args: [orderIdOf(contract, terms)] })
  const isOpenAt = async (block: Hex) => {
    const answer = (await rpc(node, 'eth_call', [{ to: contract.address, data }, block])) as string
    return BigInt(answer === '0x' ? 0 : answer) > SETTLED
  }
  const tip = BigInt((await rpc(node, 'eth_blockNumber', [])) as string)
  const at = (depth: bigint): Hex => `0x${(tip - depth).toString(16)}`
  if (!(await isOpenAt(at(0n)))) return null
  let [known, unknown] = [0n, tip < DEEPEST ? tip : DEEPEST]
  while (known < unknown) {
    const middle = (known + unknown + 1n) / 2n
    if (await isOpenAt(at(middle))) known = middle
    else unknown = middle - 1n
  }
  return { confirmations: Number(known) + 1 }
}

async function rpc({ url, fetch, signal }: Node, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...(signal !== undefined && { signal }),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error !== undefined || result === undefined) throw new Error(`${method}: ${error?.message ?? `the node answered ${response.status}`}`)
  return result
}
