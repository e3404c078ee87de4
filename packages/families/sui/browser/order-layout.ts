/** The bytes of an order on chain, as `htlc.move` lays it out. */
import { bcs } from '@mysten/sui/bcs'

export const Order = bcs.struct('Order', {
  initiator: bcs.Address,
  redeemer: bcs.Address,
  secretHash: bcs.byteVector(),
  initiatedAt: bcs.U64,
  timelock: bcs.U64,
  amount: bcs.U64,
})
