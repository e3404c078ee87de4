/** Makes the part of a transaction that is signed (`raw_data`, a protobuf). It has no other fields than these: no memo, no permission, no other contract. */
import type { Block } from '@tandem/protocol/chain.ts'
import type { Address, Hex } from 'viem'
import { loadTronWeb } from './tron-web.ts'

/** The value is in sun. */
export type TronCall = { readonly to: Address; readonly data: Hex; readonly value: bigint }

export type Creation = {
  readonly initCode: Hex
  readonly name: string
  readonly callersSharePercent: number
  readonly originEnergy: number
}

export type TransactionFrame = {
  /** The transaction is valid only on a branch of the chain that has this block. */
  readonly reference: Pick<Block, 'height' | 'hash'>
  readonly nowMs: bigint
  readonly ttlMs: bigint
  readonly feeLimitSun: bigint
  readonly energyPriceSun: bigint
}

type ContractBody = {
  readonly type: 'TriggerSmartContract' | 'CreateSmartContract'
  readonly value: Readonly<Record<string, unknown>>
}

export function expiresMsIn({ nowMs, ttlMs }: TransactionFrame): bigint {
  return nowMs + ttlMs
}

export function prefixed(address: Address): string {
  return `41${address.slice(2)}`
}

export function rawCallOf(owner: Address, { to, data, value }: TronCall, frame: TransactionFrame): Promise<Uint8Array> {
  const call = { owner_address: prefixed(owner), contract_address: prefixed(to), data: data.slice(2), call_value: Number(value) }
  return rawDataOf({ type: 'TriggerSmartContract', value: call }, frame)
}

export function rawCreationOf(owner: Address, creation: Creation, frame: TransactionFrame): Promise<Uint8Array> {
  const contract = {
    origin_address: prefixed(owner),
    bytecode: creation.initCode.slice(2),
    name: creation.name,
    consume_user_resource_percent: creation.callersSharePercent,
    origin_energy_limit: creation.originEnergy,
  }
  return rawDataOf({ type: 'CreateSmartContract', value: { owner_address: prefixed(owner), new_contract: contract } }, frame)
}

async function rawDataOf(body: ContractBody, frame: TransactionFrame): Promise<Uint8Array> {
  const { utils } = await loadTronWeb()
  const { height, hash } = frame.reference
  const blockId = hash.replace(/^0x/, '')
  const message: { serializeBinary(): Uint8Array } = utils.transaction
    .txJsonToPb({
      visible: false,
      raw_data: {
        contract: [{ parameter: { value: body.value, type_url: `type.googleapis.com/protocol.${body.type}` }, type: body.type }],
        ref_block_bytes: height.toString(16).padStart(4, '0').slice(-4),
        ref_block_hash: blockId.slice(16, 32),
        expiration: Number(expiresMsIn(frame)),
        timestamp: Number(frame.nowMs),
        fee_limit: Number(frame.feeLimitSun),
      },
    })
    .getRawData()
  return message.serializeBinary()
}
