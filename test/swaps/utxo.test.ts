/** The stories of the Bitcoin family run on simulators. Those with one kind could differ only on real nodes. */
import { tellOfClientKeys } from './client-key-stories.ts'
import { tellOfDeposits } from './deposit-stories.ts'
import { tellOfRedeems } from './redeem-stories.ts'
import { tellOfRefunds } from './refund-stories.ts'
import { tellOnSimulators } from './utxo-story.ts'

tellOnSimulators('deposits', tellOfDeposits)
tellOnSimulators('refunds', tellOfRefunds, { kinds: ['bitcoin'] })
tellOnSimulators('redeems', tellOfRedeems, { redeemWaitSeconds: 600, kinds: ['bitcoin'] })
tellOnSimulators('keys of clients', tellOfClientKeys, { kinds: ['bitcoin'] })
