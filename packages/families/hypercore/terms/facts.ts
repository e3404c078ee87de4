/** Names the facts of the HyperCore family that every process knows. It writes accounts, swap ids and hashes as EVM chains do. */

import type { FamilyFacts } from '@tandem/chain-kit/port/family.ts'
import { evmFacts } from '@tandem/evm/terms/facts.ts'

export const hypercoreFacts: FamilyFacts = { ...evmFacts, name: 'hypercore', signsAs: 'evm' }
