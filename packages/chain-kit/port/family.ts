/** A chain family is a folder in `packages/families/` with these parts. */
import type { Curve, PublicKey } from '@tandem/keys/key.ts'
import type { Asset, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain, FamilyName } from '@tandem/protocol/chain.ts'
import type { FamilyAbilities } from './abilities/index.ts'
import type { ChainClient } from './client.ts'
import type { Endpoints } from './endpoints.ts'
import type { SigningFacts } from './signing-facts.ts'
import type { BasicForms } from './text-forms.ts'

/** `terms/facts.ts` has what every process knows of a family. It imports no library, so a family that is not used costs nothing. */
export interface FamilyFacts {
  readonly name: FamilyName
  readonly curve: Curve
  /** `connect` throws if an endpoint of a kind that the family needs is missing. */
  readonly endpointKinds: readonly string[]
  /** The user can withdraw a signature over `typed_data` by `revoke_transaction` of the funding. Elsewhere it expires by itself, or cannot be withdrawn. */
  readonly revocableSignatures?: true
  /** Redeems and refunds pay their network fee out of what is locked. Elsewhere their sender pays it. */
  readonly feeFromAmount?: true
  /** Its chains sign with operations of this family beside its own. */
  readonly signsAs?: FamilyName
  /** This exists where networks of the family share block 0, so that a node may need block 1 to be told apart. */
  readonly firstBlock?: FirstBlock
  basicForms(chain: Chain): BasicForms
}

export interface FirstBlock {
  /** The hash of block 1 that an operator has named; null if none was. */
  of(chain: Chain): string | null
  /** Returns the chain with this hash. Throws if the registry knows how to tell its nodes apart, and for a text that is no hash. */
  named(chain: Chain, hash: string): Chain
}

/** `server/index.ts` has the family with its code and libraries, and is loaded when the family is first used. */
export interface ChainFamily extends FamilyFacts, Partial<FamilyAbilities> {
  readonly signingFacts: SigningFacts
  connect(chain: Chain, options: ConnectOptions): ChainClient
}

/** `terms/schemas.ts` has the interfaces of the HTLCs and tokens that a family deploys, by schema name. */
export type ContractSchemas = Readonly<Record<string, unknown>>

export type ConnectOptions = {
  readonly assets: readonly (Asset & { readonly deployment: Deployment })[]
  readonly endpoints: Endpoints
  /** This many providers must agree where money depends on the answer. The default is 1. */
  readonly quorum?: number
  /**
   * Returns the key that relays initiations and sends the redeems of users. Gasless funding needs it in families in which the user signs who
   * pays the fee.
   */
  readonly relay?: (curve: Curve) => PublicKey
  /** It is called when a provider is suspended, and when nodes say why they dropped a transaction of ours. */
  readonly onTrouble?: (what: string) => void
}
