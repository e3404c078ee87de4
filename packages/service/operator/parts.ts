/** What the running service tells its operator besides what is in the database. */

import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import type { ChainStatus } from '@tandem/party/engine/chain-status.ts'
import type { ServiceMetrics } from '@tandem/party/metrics/service-metrics.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { RecentProblems } from './recent-problems.ts'

export type OperatorParts = {
  /** Pays the network fees of the service. */
  readonly relay: PublicKeyring
  readonly problems: RecentProblems
  readonly chainStatus: (chain: ChainId) => ChainStatus | null
  /** URLs of the nodes of each chain. They may hold API keys: only their hosts are shown. */
  readonly nodes: Readonly<Record<ChainId, readonly string[]>>
  readonly metrics: ServiceMetrics
}
