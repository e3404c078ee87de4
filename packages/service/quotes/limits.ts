/** The minimum and maximum amount of an asset in one swap. */
import type { Asset } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'

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
