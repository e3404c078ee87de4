/** Verifies the user's own nodes before the wallet is asked to pay: without them nobody sees the payout, and on some chains nobody refunds a deposit. */
import type { SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { NodeError } from '@tandem/chain-kit/browser/node-error.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import { nodeOf, type SwapContext } from './context.ts'

/** Throws a `NodeError` that names the first node that cannot be used. Sides without a node are left out. */
export async function verifyNodes(context: SwapContext, sides: readonly SwapSide[], signal?: AbortSignal): Promise<void> {
  await Promise.all(sides.map((side) => verifySide(context, side, signal)))
}

async function verifySide(context: SwapContext, side: SwapSide, signal?: AbortSignal): Promise<void> {
  const { id, family } = side.chain
  const node = nodeOf(context, side.chain, signal)
  if (node === null) return
  const { verifyNode } = await loadFamily(family)
  try {
    await verifyNode(side, node)
  } catch (error) {
    signal?.throwIfAborted()
    // The answer of the node may be anything.
    const problem = error instanceof NodeError ? error.message : 'it answers what no node of this chain does'
    throw new NodeError(
      `nothing was paid: the node of ${id} (${hostOf(node.url)}) would have to show the ${side.leg} of the swap. ${problem}. Name another one in nodes.${id}, or resume the swap when it is well`,
      { cause: error },
    )
  }
}

/** The path of a URL may be a key. */
function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return 'not a URL'
  }
}
