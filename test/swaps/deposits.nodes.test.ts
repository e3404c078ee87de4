import { tellOfDeposits } from './deposit-stories.ts'
import { tellOnNodes } from './utxo-story.ts'

await tellOnNodes('deposits', tellOfDeposits)
