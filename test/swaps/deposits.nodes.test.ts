import { tellOnNodes } from './coin-story.ts'
import { tellOfDeposits } from './deposit-stories.ts'

await tellOnNodes('deposits', tellOfDeposits)
