import { tellOfRefunds } from './refund-stories.ts'
import { tellOnSimulators } from './utxo-story.ts'

tellOnSimulators('refunds', tellOfRefunds, { kinds: ['bitcoin'] })
