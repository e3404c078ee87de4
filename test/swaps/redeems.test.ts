import { tellOnSimulators } from './coin-story.ts'
import { tellOfRedeems } from './redeem-stories.ts'

tellOnSimulators('redeems', tellOfRedeems, { redeemWaitSeconds: 600, kinds: ['bitcoin'] })
