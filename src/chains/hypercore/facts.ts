/** What every process knows of the HyperCore family. It writes accounts, swap ids and hashes as EVM chains do. */
import { evmFacts } from '../evm/facts.ts'
import type { FamilyFacts } from '../port/family.ts'

export const hypercoreFacts: FamilyFacts = { ...evmFacts, name: 'hypercore' }
