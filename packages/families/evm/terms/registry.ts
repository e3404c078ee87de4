/** Lists the EVM chains of each environment. */
import type { Environment, FamilyRows } from '@tandem/protocol/registry/environment.ts'
import { local } from './registry/local.ts'
import { mainnet } from './registry/mainnet.ts'
import { testnet } from './registry/testnet.ts'
import { withTiers } from './registry/tiers.ts'

export { addable } from './registry/addable.ts'

const tiered = ({ chains, assets }: Environment): Environment => ({ chains, assets: withTiers(chains, assets) })

export const rows: FamilyRows = { local: tiered(local), testnet: tiered(testnet), mainnet: tiered(mainnet) }
