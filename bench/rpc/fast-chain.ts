/** A simulated EVM node has four empty blocks a second, to count what following such a chain costs. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { numberToHex } from 'viem'

export interface FastChain {
  readonly url: string
  jump(blocks: number): void
  close(): Promise<void>
}

const FIRST_HEIGHT = 400_000_000
const BLOCK_MS = 250
/** The block with the tag `finalized` is this far behind the newest. */
const FINALITY_BLOCKS = 4_000

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

export async function startFastChain(chainId: number): Promise<FastChain> {
  const startedAt = performance.now()
  const startedAtSeconds = Math.floor(Date.now() / 1000)
  let jumped = 0
  const newest = () => FIRST_HEIGHT + jumped + Math.floor((performance.now() - startedAt) / BLOCK_MS)

  function block(tag: unknown): object | null {
    const tagged: Readonly<Record<string, number>> = { latest: newest(), finalized: newest() - FINALITY_BLOCKS }
    const height = tagged[String(tag)] ?? Number(tag)
    if (height > newest()) return null
    const time = startedAtSeconds + Math.floor(((height - FIRST_HEIGHT - jumped) * BLOCK_MS) / 1000)
    return {
      number: numberToHex(height),
      hash: hashOf(height),
      parentHash: hashOf(height - 1),
      timestamp: numberToHex(time),
      baseFeePerGas: '0x1',
    }
  }

  function answer({ method, params }: Call): unknown {
    if (method === 'eth_chainId') return numberToHex(chainId)
    if (method === 'eth_blockNumber') return numberToHex(newest())
    if (method === 'eth_getBlockByNumber') return block(params[0])
    if (method === 'eth_getLogs') return []
    throw new Error(`the simulator does not know ${method}`)
  }

  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const calls: Call | Call[] = JSON.parse(text)
    const result = (call: Call) => ({ jsonrpc: '2.0', id: call.id, result: answer(call) })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(calls) ? calls.map(result) : result(calls)))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    jump(blocks) {
      jumped += blocks
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function hashOf(height: number): string {
  return numberToHex(height, { size: 32 })
}
