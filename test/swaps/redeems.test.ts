import { tellOfRedeems } from './redeem-stories.ts'
import { tellOnSimulators } from './utxo-story.ts'

tellOnSimulators('redeems', tellOfRedeems, { redeemWaitSeconds: 600, kinds: ['bitcoin'] })
