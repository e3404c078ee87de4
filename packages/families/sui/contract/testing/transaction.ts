// Adds calls of scenarios to transactions, for implementations that take transactions.
import type { Transaction, TransactionObjectArgument } from '@mysten/sui/transactions'
import { assertBeforeCall, callFunction, clockArgument, type Deployment, registryArgument } from '../client/calls.ts'
import { type HtlcCall, partyAddress } from './scenario.ts'
import { orderIdOf, signRefund } from './signature.ts'

/** `coin` is that of an initiation. The client refuses some terms; the module must refuse them itself, so they reach it here. */
export async function addCall(tx: Transaction, htlc: Deployment, call: HtlcCall, coin?: TransactionObjectArgument): Promise<void> {
  const bytes = (hex: string) => tx.pure.vector('u8', Buffer.from(hex, 'hex'))
  if (call.entry === 'initiate' && call.deadline !== undefined) assertBeforeCall(tx, htlc.packageId, call.deadline)
  const registry = registryArgument(tx, htlc, true)
  const { order } = call
  if (call.entry === 'initiate') {
    if (coin === undefined) throw new Error('an initiation needs a coin')
    const parties = [order.initiator, order.redeemer].map((party) => tx.pure.address(partyAddress(party, htlc.registry)))
    const numbers = [order.amount, order.timelock].map((value) => tx.pure.u64(value))
    callFunction(tx, htlc, call.entry, [registry, ...parties, bytes(order.secretHash), ...numbers, coin, clockArgument(tx)])
    return
  }
  const target = [registry, bytes(orderIdOf(order, htlc.registry) ?? '')]
  switch (call.entry) {
    case 'redeem':
      callFunction(tx, htlc, call.entry, [...target, bytes(call.secret)])
      return
    case 'refund':
      callFunction(tx, htlc, call.entry, [...target, clockArgument(tx)])
      return
    case 'instant_refund':
      callFunction(tx, htlc, call.entry, target)
      return
    case 'instant_refund_with_signature': {
      const { publicKey, signature } = await signRefund(call.signature, htlc.registry)
      const proof = [publicKey, signature].map((part) => tx.pure.vector('u8', part))
      callFunction(tx, htlc, call.entry, [...target, ...proof])
    }
  }
}
