import { keypairOf } from '@tandem/sui/local/account-keys.ts'
import { openUser } from './user.ts'

export async function prepare() {
  const user = await openUser()
  const order = await user.orderFrom('sui_localnet:sui', 100_000_000_000n)
  const keypair = keypairOf(user.keyOn('sui_localnet'))
  const baseUrl = String(user.chain('sui_localnet').rpc_url)
  return { baseUrl, order, owner: keypair.toSuiAddress(), keypair, done: () => user.untilPaid(order.order_id) }
}
