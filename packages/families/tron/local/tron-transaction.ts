// Reads a transaction out of the bytes that were signed, as strictly as a Tron node does.
import { createHash } from 'node:crypto'
import { utils } from 'tronweb'
import { type Address, type Hex, hexToBytes, keccak256, recoverAddress } from 'viem'

export type TronTransaction = {
  /** The id is the SHA-256 of the raw data, in hex without 0x. */
  readonly id: string
  readonly owner: Address
  readonly to: Address
  readonly data: Hex
  readonly valueSun: bigint
  readonly creation?: { readonly bytecode: Hex; readonly abi: unknown; readonly name: string }
  readonly feeLimitSun: bigint
  readonly expirationMs: number
  readonly refBlockBytes: string
  readonly refBlockHash: string
  readonly json: TransactionJson
}

export type TransactionJson = {
  readonly visible: boolean
  readonly txID: string
  readonly raw_data: RawData
  readonly raw_data_hex: string
  readonly signature: readonly string[]
}

type RawData = {
  readonly contract: readonly { readonly type: string; readonly parameter: { readonly value: ContractValue } }[]
  readonly fee_limit: number
  readonly expiration: number
  readonly ref_block_bytes: string
  readonly ref_block_hash: string
}

type ContractValue = {
  readonly owner_address: string
  readonly to_address?: string
  readonly amount?: number
  readonly contract_address?: string
  readonly call_value?: number
  readonly data?: string
  readonly new_contract?: { readonly bytecode: string; readonly abi?: unknown; readonly name?: string; readonly call_value?: number }
}

export class BroadcastRefusal extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'BroadcastRefusal'
    this.code = code
  }
}

/** java-tron's protobuf message is kept here by TronWeb, for its own modules. */
const { Transaction: TransactionMessage } = (globalThis as unknown as { readonly TronWebProto: { readonly Transaction: MessageReader } })
  .TronWebProto

type MessageReader = { deserializeBinary(bytes: Uint8Array): SignedMessage }

type SignedMessage = {
  getRawData(): { serializeBinary(): Uint8Array } | undefined
  getSignatureList_asU8(): readonly Uint8Array[]
}

const kinds = ['TransferContract', 'TriggerSmartContract', 'CreateSmartContract'] as const

/** Wallets send JSON with the signed bytes. Both must agree. */
export async function readJsonTransaction(json: unknown): Promise<TronTransaction> {
  if (!isTransactionJson(json)) throw new BroadcastRefusal('OTHER_ERROR', 'not a transaction')
  if (!utils.transaction.txCheck(json)) throw new BroadcastRefusal('OTHER_ERROR', 'raw_data, raw_data_hex and txID do not agree')
  return readTransaction(hexToBytes(`0x${json.raw_data_hex}`), json.signature)
}

export async function readHexTransaction(hex: string): Promise<TronTransaction> {
  const message = TransactionMessage.deserializeBinary(hexToBytes(`0x${hex}`))
  const rawData = message.getRawData()
  if (rawData === undefined) throw new BroadcastRefusal('OTHER_ERROR', 'not a transaction')
  return readTransaction(
    rawData.serializeBinary(),
    message.getSignatureList_asU8().map((signature) => Buffer.from(signature).toString('hex')),
  )
}

async function readTransaction(rawData: Uint8Array, signatures: readonly string[]): Promise<TronTransaction> {
  const rawHex = Buffer.from(rawData).toString('hex')
  const id = createHash('sha256').update(rawData).digest('hex')
  const typeUrl = Buffer.from(rawData).toString('latin1')
  const kind = kinds.find((name) => typeUrl.includes(`type.googleapis.com/protocol.${name}`))
  if (kind === undefined) throw new BroadcastRefusal('CONTRACT_VALIDATE_ERROR', 'this simulator knows transfers, calls and creations only')
  const decoded = utils.deserializeTx.deserializeTransaction(kind, rawHex) as RawData
  const value = decoded.contract[0]?.parameter.value
  if (value === undefined) throw new BroadcastRefusal('CONTRACT_VALIDATE_ERROR', 'no contract')
  const owner = evmAddress(value.owner_address)
  await requireSignature(id, owner, signatures)
  return {
    id,
    owner,
    ...bodyOf(kind, value, id),
    feeLimitSun: BigInt(decoded.fee_limit),
    expirationMs: decoded.expiration,
    refBlockBytes: decoded.ref_block_bytes.toLowerCase(),
    refBlockHash: decoded.ref_block_hash.toLowerCase(),
    json: { visible: false, txID: id, raw_data: lowerHex(decoded), raw_data_hex: rawHex, signature: signatures },
  }
}

function bodyOf(
  kind: (typeof kinds)[number],
  value: ContractValue,
  id: string,
): Pick<TronTransaction, 'to' | 'data' | 'valueSun' | 'creation'> {
  if (kind === 'TransferContract') return { to: evmAddress(value.to_address ?? ''), data: '0x', valueSun: BigInt(value.amount ?? 0) }
  if (kind === 'TriggerSmartContract') {
    const data: Hex = `0x${(value.data ?? '').toLowerCase()}`
    return { to: evmAddress(value.contract_address ?? ''), data, valueSun: BigInt(value.call_value ?? 0) }
  }
  const made = value.new_contract
  if (made === undefined) throw new BroadcastRefusal('CONTRACT_VALIDATE_ERROR', 'no contract to create')
  return {
    to: creationAddress(id, value.owner_address),
    data: '0x',
    valueSun: BigInt(made.call_value ?? 0),
    creation: { bytecode: `0x${made.bytecode.toLowerCase()}`, abi: made.abi ?? {}, name: made.name ?? '' },
  }
}

/** By Tron's rule, the address is the last 20 bytes of keccak256(transaction id ‖ owner with its prefix). */
function creationAddress(id: string, owner: string): Address {
  return `0x${keccak256(`0x${id}${owner.toLowerCase()}`).slice(-40)}`
}

async function requireSignature(id: string, owner: Address, signatures: readonly string[]): Promise<void> {
  const [signature, ...more] = signatures
  if (signature === undefined || more.length > 0) throw new BroadcastRefusal('SIGERROR', 'expected one signature')
  try {
    const signer = await recoverAddress({ hash: `0x${id}`, signature: `0x${signature.replace(/^0x/, '')}` })
    if (signer.toLowerCase() === owner) return
  } catch (error) {
    throw new BroadcastRefusal('SIGERROR', `Validate signature error: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw new BroadcastRefusal('SIGERROR', 'Validate signature error: signed by another account than the owner')
}

/** Tron writes an address in base58, or in hex with the prefix 41. Nodes take no other form. */
export function evmAddress(text: string): Address {
  const digits = /^41([0-9a-f]{40})$/i.exec(text.startsWith('T') ? utils.address.toHex(text) : text)?.[1]
  if (digits === undefined) throw new BroadcastRefusal('CONTRACT_VALIDATE_ERROR', `"${text}" is not an address`)
  return `0x${digits.toLowerCase()}`
}

export function tronHex(address: Address): string {
  return utils.address.toHex(address)
}

function isTransactionJson(json: unknown): json is TransactionJson {
  return (
    typeof json === 'object' &&
    json !== null &&
    'raw_data_hex' in json &&
    typeof json.raw_data_hex === 'string' &&
    'signature' in json &&
    Array.isArray(json.signature)
  )
}

/** TronWeb decodes to upper case; nodes answer in lower case. */
function lowerHex(decoded: RawData): RawData {
  return JSON.parse(
    JSON.stringify(decoded, (_, value) => (typeof value === 'string' && /^[0-9A-F]+$/.test(value) ? value.toLowerCase() : value)),
  )
}
