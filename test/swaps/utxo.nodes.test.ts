/** The stories of the Bitcoin family run with a real bitcoind and litecoind. */
import { tellOfClientKeys } from './client-key-stories.ts'
import { tellOfDeposits } from './deposit-stories.ts'
import { tellOfRedeems } from './redeem-stories.ts'
import { tellOfRefunds } from './refund-stories.ts'
import { tellOnNodes } from './utxo-story.ts'

await tellOnNodes('deposits', tellOfDeposits)
await tellOnNodes('refunds', tellOfRefunds)
await tellOnNodes('redeems', tellOfRedeems, { redeemWaitSeconds: 600 })
await tellOnNodes('keys of clients', tellOfClientKeys)
