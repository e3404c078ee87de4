/** A chain family: a folder in `chains/` that implements this. */
import type { Asset, Deployment } from '../../protocol/asset.ts'
import type { Chain, FamilyName } from '../../protocol/chain.ts'
import type { DeployedHtlc, DeployRequest } from './abilities/deploy.ts'
import type { RefundPackage, Rescue, RescueNode, RescueRequest } from './abilities/rescue.ts'
import type { ChainClient } from './client.ts'

export interface ChainFamily {
  readonly name: FamilyName
  /** Interfaces of the HTLCs and tokens it deploys, by schema name: 'evm:htlc_erc20' → ABI. */
  readonly schemas: Readonly<Record<string, unknown>>
  /** The kinds of endpoints it can use; `connect` throws if one that it needs is missing. */
  readonly endpointKinds: readonly string[]
  connect(chain: Chain, options: ConnectOptions): ChainClient
  /** Builds and signs a refund from a refund package alone, offline; throws `bad_request` for an unusable one. Absent where users refund with their own wallets. */
  readonly rescue?: (refundPackage: RefundPackage, request: RescueRequest) => Rescue
  /** What a node can add to that; `endpoints` as in `ConnectOptions`. */
  readonly rescueNode?: (refundPackage: RefundPackage, endpoints: ConnectOptions['endpoints']) => RescueNode
  /** Deploys the HTLC of one asset unless it is there already, and verifies by hash that the code there is ours. Absent where none is needed. */
  readonly deployHtlc?: (request: DeployRequest) => Promise<DeployedHtlc>
}

export type ConnectOptions = {
  readonly assets: readonly (Asset & { readonly deployment: Deployment })[]
  /** URLs by kind: { rpc: ['https://…', 'https://…'] }. A family says which kinds it needs, and of which it can use several. */
  readonly endpoints: Readonly<Record<string, readonly string[]>>
  /** How many providers must give the same answer before it is believed where money depends on it. Default: 1. */
  readonly quorum?: number
  /** Told when a provider is left aside because it is dead, late, or contradicts others. */
  readonly onTrouble?: (what: string) => void
}
