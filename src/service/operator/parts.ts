/** What the running service tells its operator besides what is in the database. */
import type { ChainStatus } from '../../engine/chain-status.ts'
import type { PublicKeyring } from '../../keys/keyring.ts'
import type { ServiceMetrics } from '../../metrics/service-metrics.ts'
import type { ChainId } from '../../protocol/chain-id.ts'
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
