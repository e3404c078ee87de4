import { tellOnNodes } from './coin-story.ts'
import { tellOfRedeems } from './redeem-stories.ts'

await tellOnNodes('redeems', tellOfRedeems, { redeemWaitSeconds: 600 })
