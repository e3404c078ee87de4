import { Keypair, VersionedTransaction } from '@solana/web3.js'
import { openUser } from './user.ts'

export async function prepare() {
  const user = await openUser()
  const order = await user.orderFrom('solana_localnet:usdc', 1_000_000_000n)
  const keypair = Keypair.fromSeed(Buffer.from(user.keyOn('solana_localnet').replace(/^0x/, ''), 'hex'))
  const wallet = {
    async signTransaction(transaction: VersionedTransaction) {
      transaction.sign([keypair])
      return transaction
    },
  }
  return { VersionedTransaction, order, wallet, patch: user.patch, done: () => user.untilPaid(order.order_id) }
}
