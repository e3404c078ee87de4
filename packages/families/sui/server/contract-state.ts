/** Reads the state of an order: a dynamic field of its registry, an order while it is open, and a permanent mark afterwards. */
import { bcs } from '@mysten/sui/bcs'
import { deriveDynamicFieldID, normalizeStructTag } from '@mysten/sui/utils'
import type { HtlcState } from '@tandem/chain-kit/contract/action.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { bytes32, orderMarks } from '../contract/client/order.ts'
import { type Address, parseAddress } from '../terms/address.ts'
import { swapIdOf } from '../terms/htlc.ts'
import type { Deployed } from './deployments.ts'
import type { SuiNode } from './nodes/node.ts'

const Name = bcs.byteVector()
const SettledField = bcs.struct('Field', { id: bcs.Address, name: Name, mark: bcs.U64 })

export function orderFieldId(registry: Address, orderId: string): Address {
  return parseAddress(deriveDynamicFieldID(registry, 'vector<u8>', Name.serialize(bytes32(orderId)).toBytes()))
}

export async function readHtlcState(node: Pick<SuiNode, 'object'>, deployed: Deployed, terms: HtlcTerms): Promise<HtlcState> {
  const field = await node.object(orderFieldId(deployed.registry, swapIdOf(deployed, terms)))
  if (field === null) return 'absent'
  const typeOf = (value: string) => normalizeStructTag(`0x2::dynamic_field::Field<vector<u8>, ${deployed.packageId}::htlc::${value}>`)
  if (field.type === typeOf(`Order<${deployed.coinType}>`)) return 'open'
  const mark = field.type === typeOf('Settled') ? BigInt(SettledField.parse(field.contents).mark) : null
  if (mark === orderMarks.redeemed) return 'redeemed'
  if (mark === orderMarks.refunded) return 'refunded'
  throw new ChainFailure('unreachable', `the node shows an order of an unknown kind: ${field.type}`)
}
