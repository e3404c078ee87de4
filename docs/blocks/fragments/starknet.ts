import { Account, RpcProvider, stark } from 'starknet'
import { openUser } from './user.ts'

export async function prepare() {
  const user = await openUser()
  const provider = await RpcProvider.create({ nodeUrl: String(user.chain('starknet_localnet').rpc_url) })
  const [address, signer] = [user.ownerOf('starknet_localnet:wbtc'), user.keyOn('starknet_localnet')]
  const account = new Account({ provider, address, signer, cairoVersion: '1' })
  const order = await user.orderFrom('starknet_localnet:wbtc', 1_000_000n)
  return { account, order, patch: user.patch, stark, done: () => user.untilPaid(order.order_id) }
}
