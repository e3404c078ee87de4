/** Makes the part of a transaction that is signed (`raw_data`, a protobuf). */
import type { Block } from '@tandem/protocol/chain.ts'
import { loadTronWeb } from './tron-web.ts'

export type ContractBody =
  | { readonly type: 'TriggerSmartContract'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly type: 'CreateSmartContract'; readonly value: Readonly<Record<string, unknown>> }

export type TransactionFrame = {
  /** The transaction is valid only on a branch of the chain that has this block. */
  readonly reference: Block
  readonly nowMs: bigint
  readonly ttlMs: bigint
  readonly feeLimitSun: bigint
  readonly energyPriceSun: bigint
}

export function expiresMsIn({ nowMs, ttlMs }: TransactionFrame): bigint {
  return nowMs + ttlMs
}

export async function rawDataOf(body: ContractBody, frame: TransactionFrame): Promise<Uint8Array> {
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
