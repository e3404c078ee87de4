/** Makes Tron transactions, which are signed, recorded and parsed. A transaction has no nonce: it refers to a block and has an expiry. */
import { sha256 } from '@noble/hashes/sha2.js'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import type { Signer } from '@tandem/keys/key.ts'
import { bytesToHex, type Hex, hexToBytes } from 'viem'
import { joinTransaction, splitTransaction } from '../nodes/wire.ts'
import { tronSigning } from '../signing.ts'
import { type Creation, expiresMsIn, type TransactionFrame, type TronCall } from './raw-data.ts'
import { loadTronWeb } from './tron-web.ts'

export type SignedCall = {
  readonly tx: string
  readonly raw: Hex
  readonly call: TronCall
  readonly expiresMs: bigint
  readonly feeLimitSun: bigint
  /** The transaction was signed at this time in unix seconds. */
  readonly at: bigint
}

export async function signCall(signer: Signer, call: TronCall, frame: TransactionFrame): Promise<Omit<Attempt, 'at'>> {
  return attemptOf(await tronSigning.sign('call', signer, call, frame), frame)
}

export async function signCreation(signer: Signer, creation: Creation, frame: TransactionFrame): Promise<Omit<Attempt, 'at'>> {
  return attemptOf(await tronSigning.sign('creation', signer, creation, frame), frame)
}

type SignedData = { readonly rawData: Uint8Array; readonly signature: Uint8Array }

function attemptOf({ rawData, signature }: SignedData, frame: TransactionFrame): Omit<Attempt, 'at'> {
  // Tron expects the recovery id as Ethereum's v.
  const signatures = [Uint8Array.of(...signature.subarray(0, 64), (signature[64] ?? 0) + 27)]
  return {
    tx: bytesToHex(sha256(rawData)).slice(2),
    raw: bytesToHex(joinTransaction({ rawData, signatures })),
    // There is no nonce to use up; the contract refuses a repetition. Only the expiry matters.
    slots: [`expires:${expiresMsIn(frame)}`],
    feeRate: frame.energyPriceSun,
  }
}

/** The slot gives it without parsing the transaction: all attempts of a signer are searched by it. */
export function expiresMsOf({ tx, slots }: Attempt): bigint {
  const end = /^expires:([0-9]+)$/.exec(slots[0] ?? '')?.[1]
  if (end === undefined) throw new Error(`recorded transaction ${tx} has no expiry among its slots`)
  return BigInt(end)
}

export async function readAttempt({ tx, raw, at }: Attempt): Promise<SignedCall> {
  const { utils } = await loadTronWeb()
  const rawData = bytesToHex(splitTransaction(hexToBytes(raw as Hex)).rawData).slice(2)
  const { contract, expiration, fee_limit } = utils.deserializeTx.deserializeTransaction('TriggerSmartContract', rawData) as RawCall
  const value = contract[0]?.parameter.value
  if (value === undefined) throw new Error(`recorded transaction ${tx} calls nothing`)
  return {
    tx,
    raw: raw as Hex,
    call: {
      to: `0x${value.contract_address.slice(2).toLowerCase()}`,
      data: `0x${value.data.toLowerCase()}`,
      value: BigInt(value.call_value),
    },
    expiresMs: BigInt(expiration),
    feeLimitSun: BigInt(fee_limit),
    at,
  }
}

type RawCall = {
  readonly contract: readonly { readonly parameter: { readonly value: RawBody } }[]
  readonly expiration: number
  readonly fee_limit: number
}

type RawBody = { readonly contract_address: string; readonly data: string; readonly call_value: number }
