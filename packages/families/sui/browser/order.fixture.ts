/** The fields of an order on chain, taken from `htlc.move` and not from the code under test. */
import { bcs } from '@mysten/sui/bcs'

export const orderFields = {
  initiator: bcs.Address,
  redeemer: bcs.Address,
  secretHash: bcs.byteVector(),
  initiatedAt: bcs.U64,
  timelock: bcs.U64,
  amount: bcs.U64,
}

/** A dynamic field of the registry with an order in it. */
export const OrderField = bcs.struct('Field', { id: bcs.Address, name: bcs.byteVector(), ...orderFields })
