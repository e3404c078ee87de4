/** A chain family: a folder in `chains/` with these parts. `chains/index.ts` lists it. */
import type { Curve, PublicKey } from '@tandem/keys/key.ts'
import type { Asset, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain, FamilyName } from '@tandem/protocol/chain.ts'
import type { FamilyAbilities } from './abilities/index.ts'
import type { ChainClient } from './client.ts'
import type { Endpoints } from './endpoints.ts'
import type { BasicForms } from './text-forms.ts'

/** `facts.ts`: what every process knows of a family. It imports no library, so a family that is not used costs nothing. */
export interface FamilyFacts {
  readonly name: FamilyName
  /** Of the keys that sign on its chains. */
  readonly curve: Curve
  /** The kinds of endpoints it can use; `connect` throws if one that it needs is missing. */
  readonly endpointKinds: readonly string[]
  /** The user can withdraw a signature over `typed_data` by `revoke_transaction` of the funding. Absent: it expires by itself, or there is no way. */
  readonly revocableSignatures?: true
  /** Redeems and refunds pay their network fee out of what is locked. Absent: who sends them pays it. */
  readonly feeFromAmount?: true
  basicForms(chain: Chain): BasicForms
}

/** `index.ts`: the family with its code and libraries, loaded when it is first used. */
export interface ChainFamily extends FamilyFacts, Partial<FamilyAbilities> {
  connect(chain: Chain, options: ConnectOptions): ChainClient
}

/** `schemas.ts`: interfaces of the HTLCs and tokens that a family deploys, by schema name. */
export type ContractSchemas = Readonly<Record<string, unknown>>

export type ConnectOptions = {
  readonly assets: readonly (Asset & { readonly deployment: Deployment })[]
  readonly endpoints: Endpoints
  /** How many providers must agree where money depends on the answer. Default: 1. */
  readonly quorum?: number
  /** Whose key relays gasless initiations. Needed where the user signs who pays the network fee; there is no gasless funding without it. It also sends redeems of strangers. */
  readonly relay?: (curve: Curve) => PublicKey
  /** Called when a provider is suspended because it is dead, late, or contradicts others, and when nodes say why they dropped a transaction of ours. */
  readonly onTrouble?: (what: string) => void
}
