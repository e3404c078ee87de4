import type { FeltCall } from '@tandem/protocol/funding/felt-calls.ts'
import { starknetLocal } from '@tandem/starknet/local/local.ts'
import { prepare as preparePaid } from './starknet.ts'
import { openUser } from './user.ts'

/** The same as for the paid initiation, after an approval. */
export async function prepare() {
  const prepared = await preparePaid()
  const user = await openUser()
  const approval = prepared.order.approval_transaction as FeltCall | undefined
  if (approval && prepared.order.approval_required) await user.wallet('starknet_localnet', starknetLocal).execute([approval])
  return prepared
}
