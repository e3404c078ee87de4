/** Whether the SDK can see for itself that a destination is funded. Only then may the user keep the secret. */
import { pinnedAsset } from '../verify/pinned.ts'
import { nodeOf, type SwapContext } from './context.ts'

export async function keepsSecret(context: SwapContext, to: string): Promise<boolean> {
  const { chain } = await pinnedAsset(to, context.options.deployments ?? {})
  return nodeOf(context, chain) !== null
}
