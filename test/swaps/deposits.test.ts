import { tellOnSimulators } from './coin-story.ts'
import { tellOfDeposits } from './deposit-stories.ts'

tellOnSimulators('deposits', tellOfDeposits)
