/** Deploys the HTLC of one asset, and the account of a key. A chain that needs no contract lacks it. */
import type { Signer } from '@tandem/keys/key.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Endpoints } from '../endpoints.ts'

/** Deploys the HTLC unless it is there already, and verifies by hash that the code there is ours. */
export type DeployHtlc = (request: DeployRequest) => Promise<DeployedHtlc>

/** Deploys the account of the signer unless it is there already. This is absent where a key can send without an account. */
export type DeployAccount = (request: AccountRequest) => Promise<DeployedAccount>

export type AccountRequest = Pick<DeployRequest, 'chain' | 'endpoints' | 'quorum' | 'signer' | 'dryRun' | 'onProgress'>

export type DeployedAccount = {
  readonly address: string
  /** Null means a dry run, or that it was deployed before. */
  readonly tx: string | null
}

export type DeployRequest = {
  readonly chain: Chain
  readonly endpoints: Endpoints
  /** This many providers must give the same answer. The default is 1. */
  readonly quorum?: number
  readonly asset: Asset
  readonly token: string | null
  readonly signer: Signer
  /** These HTLCs are listed for other assets of the chain. Families whose HTLC serves all assets use it again. The default is none. */
  readonly listedForOthers?: readonly string[]
  readonly dryRun: boolean
  /** If true, the CREATE2 deployer is deployed first if the chain lacks it. */
  readonly bringDeployer?: boolean
  readonly onProgress: (what: string) => void
}

export type DeployedHtlc = {
  readonly htlc: string
  readonly tx: string | null
  readonly codeHash: string
}
