/** Reads an HTLC over the JSON-RPC of an EVM node. */
import { encodeFunctionData, type Hex } from 'viem'
import { htlcErc20 } from '../../../../contracts/evm/artifacts/htlc-erc20.ts'
import { type HtlcContract, orderIdOf } from '../../../../src/chains/evm/htlc.ts'
import type { HtlcTerms } from '../../../../src/protocol/htlc.ts'
import type { Lock, Node } from '../family.ts'

/** The slot of an order holds 1 or 2 once it is settled, before that the time of its block: see `Htlc.sol`. */
const SETTLED = 2n

/** The depth is found by asking the contract at older blocks; that it is deeper than this needs no knowing. */
const DEEPEST = 64n

export async function readLock(contract: HtlcContract, terms: HtlcTerms, node: Node): Promise<Lock | null> {
  const data = encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiatedAt', args: [orderIdOf(contract, terms)] })
  const slotAt = async (block: Hex) => {
    const answer = (await rpc(node, 'eth_call', [{ to: contract.address, data }, block])) as string
    return BigInt(answer === '0x' ? 0 : answer)
  }
  const newest = (await rpc(node, 'eth_getBlockByNumber', ['latest', false])) as { readonly number: Hex; readonly timestamp: Hex }
  const tip = BigInt(newest.number)
  const at = (depth: bigint): Hex => `0x${(tip - depth).toString(16)}`
  const startedAt = await slotAt(at(0n))
  if (startedAt <= SETTLED) return null
  let [known, unknown] = [0n, tip < DEEPEST ? tip : DEEPEST]
  while (known < unknown) {
    const middle = (known + unknown + 1n) / 2n
    if ((await slotAt(at(middle))) > SETTLED) known = middle
    else unknown = middle - 1n
  }
  // A node that stands still shows an old time: then our own clock counts.
  const [chainTime, ownTime] = [BigInt(newest.timestamp), BigInt(Math.floor(Date.now() / 1000))]
  const time = chainTime > ownTime ? chainTime : ownTime
  return { confirmations: Number(known) + 1, unitsLeft: startedAt + terms.timelock - time }
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
