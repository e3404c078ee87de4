/** What every process knows of the HyperCore family. It writes accounts, swap ids and hashes as EVM chains do. */

import type { FamilyFacts } from '@tandem/chain-kit/port/family.ts'
import { evmFacts } from '@tandem/evm/terms/facts.ts'

export const hypercoreFacts: FamilyFacts = { ...evmFacts, name: 'hypercore' }
