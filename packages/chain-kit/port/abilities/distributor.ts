/**
 * Pays affiliates on this chain: a contract that pays each recipient the total that a key signed, less what it paid before. Nobody can take money out
 * of it in another way, so it should hold what is owed and not more.
 */
import type { PublicKey, Signer } from '@tandem/keys/key.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'

export interface Distributor {
  /** Pure: the contract that pays by the signatures of this key. The same on all chains of the family. */
  contractOf(key: PublicKey): string
  /** Pure: how claims name the asset. */
  tokenOf(asset: AssetId): string
  /** Rejects with `would-fail` if there is other code at its address. */
  isDeployed(key: PublicKey): Promise<boolean>
  /** What the contract of this key has paid to each, in their order. If providers differ, rather too much than too little. */
  paid(key: PublicKey, accounts: readonly ClaimAccount[]): Promise<readonly bigint[]>
  /** Pure: with this signature anyone can make the contract of the signer pay. */
  sign(signer: Signer, claim: Claim): string
  /** Safe to repeat, by anyone: it is deployed once. */
  deploy(request: DistributorDeployment): Promise<DeployedDistributor>
  /** Pays into the contract and waits for the confirmations. Resolves to the transaction. */
  fund(request: DistributorFunding): Promise<string>
}

export type ClaimAccount = { readonly recipient: string; readonly asset: AssetId }

/** `total`: all that the recipient has earned so far, in the smallest unit. */
export type Claim = ClaimAccount & { readonly total: bigint }

/** `key`: whose signatures the contract pays. */
export type DistributorDeployment = {
  readonly key: PublicKey
  /** Pays for the transaction; nothing else may use it meanwhile. */
  readonly signer: Signer
  /** True: returns the planned address and sends nothing. */
  readonly dryRun: boolean
  readonly bringDeployer?: boolean
  readonly onProgress: (what: string) => void
}

export type DeployedDistributor = {
  readonly contract: string
  /** Null when it was there before, or in a dry run. */
  readonly tx: string | null
  readonly codeHash: string
}

export type DistributorFunding = {
  readonly key: PublicKey
  readonly asset: AssetId
  readonly amount: bigint
  /** Pays; nothing else may use it meanwhile. Then a repeat after a crash replaces the first transaction, unless that is mined. */
  readonly signer: Signer
  readonly onProgress: (what: string) => void
}
