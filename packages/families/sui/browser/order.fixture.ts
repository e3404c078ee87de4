/** Describes the fields of an order on chain, from `htlc.move` and not from the code under test. */
import { bcs } from '@mysten/sui/bcs'

export const orderFields = {
  initiator: bcs.Address,
  redeemer: bcs.Address,
  secretHash: bcs.byteVector(),
  initiatedAt: bcs.U64,
  timelock: bcs.U64,
  amount: bcs.U64,
}

export const OrderField = bcs.struct('Field', { id: bcs.Address, name: bcs.byteVector(), ...orderFields })
