/** Deploys the HTLC of one asset, and the account of a key. Absent where a chain needs no contract. */

import type { Signer } from '@tandem/keys/key.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Endpoints } from '../endpoints.ts'

/** Deploys the HTLC unless it is there already, and verifies by hash that the code there is ours. */
export type DeployHtlc = (request: DeployRequest) => Promise<DeployedHtlc>

/** Deploys the account of the signer unless it is there already. Absent where a key can send without one. */
export type DeployAccount = (request: AccountRequest) => Promise<DeployedAccount>

export type AccountRequest = Pick<DeployRequest, 'chain' | 'endpoints' | 'quorum' | 'signer' | 'dryRun' | 'onProgress'>

export type DeployedAccount = {
  readonly address: string
  /** Null when it was there before, or in a dry run. */
  readonly tx: string | null
}

export type DeployRequest = {
  readonly chain: Chain
  readonly endpoints: Endpoints
  /** How many providers must give the same answer. Default: 1. */
  readonly quorum?: number
  readonly asset: Asset
  /** Null: the chain's own coin. */
  readonly token: string | null
  readonly signer: Signer
  /** HTLCs that are listed for other assets of the chain. Families whose HTLC serves all assets use it again. Default: none. */
  readonly listedForOthers?: readonly string[]
  /** True: returns the planned address and sends nothing. */
  readonly dryRun: boolean
  /** Whether to pay for deploying the CREATE2 deployer first, if the chain lacks it. */
  readonly bringDeployer?: boolean
  readonly onProgress: (what: string) => void
}

export type DeployedHtlc = {
  readonly htlc: string
  /** Null when it was there before, or in a dry run. */
  readonly tx: string | null
  /** Of the code that is, or would be, at the address; hex. */
  readonly codeHash: string
}
