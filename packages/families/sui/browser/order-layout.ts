/** Describes the bytes of an order on chain, in the layout of `htlc.move`. */
import { bcs } from '@mysten/sui/bcs'

export const Order = bcs.struct('Order', {
  initiator: bcs.Address,
  redeemer: bcs.Address,
  secretHash: bcs.byteVector(),
  initiatedAt: bcs.U64,
  timelock: bcs.U64,
  amount: bcs.U64,
})
