import { tellOfRedeems } from './redeem-stories.ts'
import { tellOnNodes } from './utxo-story.ts'

await tellOnNodes('redeems', tellOfRedeems, { redeemWaitSeconds: 600 })
