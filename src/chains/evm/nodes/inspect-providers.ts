/** Asks every provider of a chain by itself what it serves, how far it has come and how far back it can tell. */
import { type Address, zeroAddress } from 'viem'
import type { Chain } from '../../../protocol/chain.ts'
import type { ProviderReport } from '../../port/abilities/inspect-providers.ts'
import { ChainFailure } from '../../port/failure.ts'
import type { ConnectOptions } from '../../port/family.ts'
import { allowedLagOf } from '../../providers/agreed-blocks.ts'
import type { Provider } from '../../providers/provider.ts'
import { chainIdOf } from '../htlc.ts'
import { connectEvmProviders } from './connect-node.ts'
import type { EvmNode } from './node.ts'
import { NodeRefusal } from './rpc.ts'

const WEEK_MS = 7n * 86_400_000n
const FINALITY_TAGS = ['safe', 'finalized'] as const
/** No event has it. */
const NO_EVENT = `0x${'00'.repeat(32)}` as const

type Look = Omit<ProviderReport, 'behind' | 'isLate'>

export async function inspectProviders(
  chain: Chain,
  options: Pick<ConnectOptions, 'endpoints'>,
  path?: string,
): Promise<readonly ProviderReport[]> {
  const providers = connectEvmProviders(chain, options, path)
  try {
    const looks = await Promise.all(providers.map((provider) => lookAt(chain, provider)))
    const highest = looks.reduce((most, { height }) => (height > most ? height : most), 0n)
    return looks.map((look) => {
      const behind = look.error === null ? highest - look.height : 0n
      return { ...look, behind, isLate: behind > allowedLagOf(chain) }
    })
  } finally {
    for (const { node } of providers) node.close()
  }
}

async function lookAt(chain: Chain, { name, node }: Provider<EvmNode>): Promise<Look> {
  try {
    const served = await node.chainId()
    if (served !== BigInt(chainIdOf(chain))) throw new Error(`serves the chain ${served}, expected ${chain.reference}`)
    const tip = await node.block('latest')
    if (tip === null) throw new Error('it has no block')
    const [hasOldEvents, ...known] = await Promise.all([
      canTellOf(node, tip.height - WEEK_MS / chain.blockMs),
      ...FINALITY_TAGS.map((tag) => knowsTag(node, tag)),
    ])
    const tags = FINALITY_TAGS.filter((_, i) => known[i])
    return { name, error: null, height: tip.height, hasOldEvents, tags }
  } catch (error) {
    return { name, error: error instanceof Error ? error.message : String(error), height: 0n, hasOldEvents: false, tags: [] }
  }
}

async function knowsTag(node: EvmNode, tag: (typeof FINALITY_TAGS)[number]): Promise<boolean> {
  try {
    return (await node.finalHeight(tag)) !== null
  } catch (error) {
    if (error instanceof ChainFailure) return false
    throw error
  }
}

async function canTellOf(node: EvmNode, height: bigint): Promise<boolean> {
  const from = height > 0n ? height : 0n
  try {
    if ((await node.block(from)) === null) return false
    await node.logs({ addresses: [zeroAddress as Address], events: [NO_EVENT], from, to: from })
    return true
  } catch (error) {
    if (error instanceof NodeRefusal || error instanceof ChainFailure) return false
    throw error
  }
}
