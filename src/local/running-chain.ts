/** One chain of the local network with all that the parties and the faucet need of it. */
import type { Asset, AssetId, Deployment } from '../protocol/asset.ts'

export type RunningChain = {
  readonly endpoints: Readonly<Record<string, string>>
  readonly deployments: Readonly<Record<AssetId, Deployment>>
  /** The coin that fees are paid in, where it is no asset of the registry: enough for a long life. */
  giveGas?(address: string): Promise<void>
  /** Resolves to a transaction hash. */
  give(asset: Asset, address: string, amount: bigint): Promise<string>
  close(): Promise<void>
}
