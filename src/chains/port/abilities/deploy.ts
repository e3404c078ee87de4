/** Deploying the HTLC of an asset. */

import type { Signer } from '../../../keys/key.ts'
import type { Asset } from '../../../protocol/asset.ts'
import type { Chain } from '../../../protocol/chain.ts'
import type { ConnectOptions } from '../family.ts'

export type DeployRequest = {
  readonly chain: Chain
  readonly endpoints: ConnectOptions['endpoints']
  /** As in `ConnectOptions`. */
  readonly quorum?: number
  readonly asset: Asset
  /** Null: the chain's own coin. */
  readonly token: string | null
  readonly signer: Signer
  /** True: says what would be where, and sends nothing. */
  readonly dryRun: boolean
  /** Where deterministic addresses need a contract that a chain may lack: whether to pay for bringing it there. */
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
