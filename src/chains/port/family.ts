/** A chain family: a folder in `chains/` that implements this. */
import type { Curve, PublicKey } from '../../keys/key.ts'
import type { Asset, Deployment } from '../../protocol/asset.ts'
import type { Chain } from '../../protocol/chain.ts'
import type { FamilyName } from '../../protocol/registry/family-data.ts'
import type { FamilyAbilities } from './abilities/index.ts'
import type { ChainClient } from './client.ts'
import type { Endpoints } from './endpoints.ts'
import type { TextForms } from './text-forms.ts'

export interface ChainFamily extends Partial<FamilyAbilities> {
  readonly name: FamilyName
  /** Of the keys that sign on its chains. */
  readonly curve: Curve
  /** Interfaces of the HTLCs and tokens it deploys, by schema name. */
  readonly schemas: Readonly<Record<string, unknown>>
  /** The kinds of endpoints it can use; `connect` throws if one that it needs is missing. */
  readonly endpointKinds: readonly string[]
  /** Needs no node: the addresses of a configuration are parsed before anything connects. */
  textForms(chain: Chain): TextForms
  connect(chain: Chain, options: ConnectOptions): ChainClient
}

export type ConnectOptions = {
  readonly assets: readonly (Asset & { readonly deployment: Deployment })[]
  readonly endpoints: Endpoints
  /** How many providers must agree where money depends on the answer. Default: 1. */
  readonly quorum?: number
  /** Whose key relays gasless initiations. Needed where the user signs who pays the network fee; there is no gasless funding without it. */
  readonly relay?: (curve: Curve) => PublicKey
  /** Called when a provider is suspended because it is dead, late, or contradicts others. */
  readonly onTrouble?: (what: string) => void
}
