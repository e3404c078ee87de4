/**
 * Pays affiliates on this chain: a contract that pays each recipient the total that a key signed, less what it paid before. Nobody can take money out
 * of it in another way, so it should hold what is owed and not more.
 */
import type { PublicKey, Signer } from '@tandem/keys/key.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'

export interface Distributor {
  /** This is pure. The contract that pays by the signatures of this key is the same on all chains of the family. */
  contractOf(key: PublicKey): string
  /** This is pure. Claims name the asset by this text. */
  tokenOf(asset: AssetId): string
  isDeployed(key: PublicKey): Promise<boolean>
  /** The contract of this key has paid these amounts. If providers differ, the result is rather too high than too low. */
  paid(key: PublicKey, accounts: readonly ClaimAccount[]): Promise<readonly bigint[]>
  sign(signer: Signer, claim: Claim): Promise<string>
  /** The contract is deployed once, so anyone may repeat this safely. */
  deploy(request: DistributorDeployment): Promise<DeployedDistributor>
  fund(request: DistributorFunding): Promise<string>
}

export type ClaimAccount = { readonly recipient: string; readonly asset: AssetId }

export type Claim = ClaimAccount & { readonly total: bigint }

export type DistributorDeployment = {
  readonly key: PublicKey
  /** The signer pays for the transaction. Nothing else may use it meanwhile. */
  readonly signer: Signer
  readonly dryRun: boolean
  readonly bringDeployer?: boolean
  readonly onProgress: (what: string) => void
}

export type DeployedDistributor = {
  readonly contract: string
  readonly tx: string | null
  readonly codeHash: string
}

export type DistributorFunding = {
  readonly key: PublicKey
  readonly asset: AssetId
  readonly amount: bigint
  /** Nothing else may use this signer meanwhile. Then a repeat after a crash replaces the first transaction, unless that is mined. */
  readonly signer: Signer
  readonly onProgress: (what: string) => void
}
