import { walletOfKey } from '@tandem/xrpl/local/account-keys.ts'
import { Client } from 'xrpl'
import { openUser } from './user.ts'

export async function prepare() {
  const user = await openUser()
  const order = await user.orderFrom('xrpl_localnet:xrp', 500_000_000n)
  const wallet = walletOfKey(user.keyOn('xrpl_localnet'))
  return { Client, url: String(user.chain('xrpl_localnet').ws_url), order, wallet, done: () => user.untilPaid(order.order_id) }
}
