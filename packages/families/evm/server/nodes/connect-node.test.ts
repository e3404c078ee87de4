/** Tests checks of a node's answers that hold for one provider and for several. */
import { afterEach, describe, expect, it } from 'vitest'
import { EdrRequestError, type JsonRpcCall } from '../../local/edr-provider.ts'
import { connectNode } from './connect-node.ts'
import type { EvmNode } from './node.ts'
import { startTestProvider, type TestProvider } from './provider.fixture.ts'
import { address, chain } from './shared-node.fixture.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function connect(answer: (call: JsonRpcCall) => unknown, troubles: string[] = []): Promise<EvmNode> {
  const provider: TestProvider = await startTestProvider({ request: async (call) => answer(call) })
  const node = connectNode(chain, { endpoints: { rpc: [provider.url] }, onTrouble: (what) => troubles.push(what) })
  closing.push(() => node.close(), provider.close)
  return node
}

describe('support for a finality tag', () => {
  let knows = true
  const answer = () => {
    if (knows) return { number: '0x24' }
    throw new EdrRequestError({ code: -32602, message: 'invalid block tag' })
  }

  it('is decided by the first answer: if nodes refuse the tag later, no further block becomes final', async () => {
    knows = true
    const node = await connect(answer)
    expect(await node.finalHeight('finalized')).toBe(36n)
    knows = false
    expect(await node.finalHeight('finalized')).toBe(0n)
    knows = true
    expect(await node.finalHeight('finalized')).toBe(36n)
  })

  it('is reported once when it is missing', async () => {
    knows = false
    const troubles: string[] = []
    const node = await connect(answer, troubles)
    expect(await node.finalHeight('safe')).toBeNull()
    knows = true
    expect(await node.finalHeight('safe')).toBeNull()
    expect(await node.finalHeight('finalized')).toBe(36n)
    expect(troubles).toEqual([`${chain.id}: the nodes do not support the "safe" tag: finality is by depth alone`])
  })
})

it('logs of a range are refused by a node that lacks its last block, or has another one there', async () => {
  let newest = 19n
  const hash = `0x${'ab'.repeat(32)}`
  const node = await connect(({ method, params = [] }) => {
    if (method === 'eth_getLogs') return []
    return BigInt(String(params[0])) > newest ? null : { number: params[0], hash, parentHash: hash, timestamp: '0x1' }
  })
  const query = { addresses: [address], events: [], from: 10n, to: 20n }
  await expect(node.logs(query)).rejects.toThrow('it does not have block 20 yet')
  newest = 20n
  expect(await node.logs(query)).toEqual([])
  expect(await node.logs({ ...query, lastHash: hash })).toEqual([])
  await expect(node.logs({ ...query, lastHash: `0x${'cd'.repeat(32)}` })).rejects.toThrow('it is on another branch at block 20')
})

it('a call whose answer is not an amount is refused', async () => {
  const node = await connect(() => '0x2a')
  expect(await node.callAmount({ to: address }, BigInt, 'down')).toBe(42n)
  const failing = () => {
    throw new Error('it does not decode')
  }
  await expect(node.callAmount({ to: address }, failing, 'down')).rejects.toThrow('the answer is not an amount')
})
