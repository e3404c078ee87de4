import { tronLocal } from '@tandem/tron/local/local.ts'
import { openUser } from './user.ts'

export async function prepare() {
  const user = await openUser()
  const { tronWeb, address, send } = user.wallet('tron_localnet', tronLocal)
  const {
    order_id: id,
    approval_transaction: approval,
    initiate_transaction: tx,
  } = await user.orderFrom('tron_localnet:usdt', 1_000_000_000n)
  if (approval) await send(approval)
  return { tronWeb, tx, owner: address, done: () => user.untilPaid(id) }
}
