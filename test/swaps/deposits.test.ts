import { tellOfDeposits } from './deposit-stories.ts'
import { tellOnSimulators } from './utxo-story.ts'

tellOnSimulators('deposits', tellOfDeposits)
