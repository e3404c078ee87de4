/** A pair is two assets that may be swapped for each other. */
import type { Asset, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { ListedAsset, Registry } from '@tandem/protocol/registry/registry.ts'
import { assertTimelocksSafe } from '@tandem/protocol/timelock.ts'
import type { ServiceContext } from '../context.ts'

export type ActiveAsset = ListedAsset & { readonly deployment: Deployment }

export type Pair = {
  readonly source: ActiveAsset
  readonly destination: ActiveAsset
  readonly sourceChain: Chain
  readonly destinationChain: Chain
}

type PairFields = { readonly from: string; readonly to: string }
const QUERY_FIELDS: PairFields = { from: 'from', to: 'to' }

/** Throws `unsupported_pair` unless both are active and different, the operator allows the pair, and the timelocks of their chains are safe together. */
export function parsePair(
  { registry, policy }: Pick<ServiceContext, 'registry' | 'policy'>,
  from: string,
  to: string,
  fields: PairFields = QUERY_FIELDS,
): Pair {
  const source = parseAsset(registry, from, fields.from)
  const destination = parseAsset(registry, to, fields.to)
  if (source.id === destination.id) throw new TandemError('unsupported_pair', `${source.id} cannot be swapped for itself`)
  const refusal = policy.refusal(source.id, destination.id)
  if (refusal !== null) throw new TandemError('unsupported_pair', refusal)
  const sourceChain = registry.chain(source.chain)
  const destinationChain = registry.chain(destination.chain)
  assertTimelocksSafe(sourceChain, destinationChain)
  return { source, destination, sourceChain, destinationChain }
}

export function parseAsset(registry: Registry, text: string, field: string): ActiveAsset {
  try {
    return registry.asset(text)
  } catch (error) {
    if (!(error instanceof TandemError)) throw error
    throw new TandemError(error.code, `${field}: ${error.message}`, { cause: error })
  }
}

export function isWithinLimits(asset: Asset, amount: bigint): boolean {
  return amount >= asset.minAmount && amount <= asset.maxAmount
}

export function assertWithinLimits(asset: Asset, amount: bigint, field: string): void {
  if (!isWithinLimits(asset, amount)) {
    throw new TandemError(
      'amount_out_of_range',
      `${field} must be from ${asset.minAmount} to ${asset.maxAmount} in the smallest unit of ${asset.id}, got ${amount}`,
    )
  }
}
