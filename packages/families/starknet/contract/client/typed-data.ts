// Builds the SNIP-12 (revision 1) messages that the contract accepts, and computes their digests.
import { type Felt, felt, poseidon, selectorOf, shortString } from './felt.ts'
import { type Deployment, type OrderTerms, orderId, u128Felt, u256Felts, wordFelts, wordsOf } from './order.ts'

type Field = { readonly name: string; readonly type: string }

interface TypedData<Name extends string, Message> {
  readonly domain: { readonly name: string; readonly version: Felt; readonly chainId: Felt; readonly revision: 1 }
  readonly primaryType: Name
  readonly message: Message
  readonly types: { readonly [type in Name | 'StarknetDomain']: readonly Field[] }
}

export type InitiateTypedData = TypedData<
  'Initiate',
  {
    readonly redeemer: Felt
    readonly amount: { readonly low: Felt; readonly high: Felt }
    readonly timelock: string
    readonly secretHash: readonly number[]
  }
>

export type RefundTypedData = TypedData<'Refund', { readonly orderId: Felt }>

const domainFields: readonly Field[] = [
  { name: 'name', type: 'shortstring' },
  { name: 'version', type: 'shortstring' },
  { name: 'chainId', type: 'shortstring' },
  { name: 'revision', type: 'shortstring' },
]

const initiateFields: readonly Field[] = [
  { name: 'redeemer', type: 'ContractAddress' },
  { name: 'amount', type: 'u256' },
  { name: 'timelock', type: 'u128' },
  { name: 'secretHash', type: 'u128*' },
]

const refundFields: readonly Field[] = [{ name: 'orderId', type: 'felt' }]

/** The version is a felt and not "1", which SDKs read as the number 1. */
const version = shortString('1')

const addressDigits = 26

/**
 * The name has the low 104 bits of the contract's address, as many as fit into a short string. SNIP-12 domains have no field for the
 * contract, so the name keeps a signature from being valid at another deployment.
 */
export function domainName({ address }: Deployment): string {
  return `HTLC-${BigInt(address).toString(16).padStart(64, '0').slice(-addressDigits)}`
}

/** The initiator signs this message so that anyone may call `initiate_with_signature`. */
export function initiateTypedData(deployment: Deployment, terms: Omit<OrderTerms, 'initiator'>): InitiateTypedData {
  const [low, high] = u256Felts(terms.amount)
  return {
    domain: domainOf(deployment),
    primaryType: 'Initiate',
    message: {
      redeemer: terms.redeemer,
      amount: { low, high },
      timelock: String(terms.timelock),
      secretHash: wordsOf(terms.secretHash),
    },
    types: { StarknetDomain: domainFields, Initiate: initiateFields },
  }
}

/** The redeemer signs this message so that anyone may call `instant_refund`. */
export function refundTypedData(deployment: Deployment, terms: OrderTerms): RefundTypedData {
  return {
    domain: domainOf(deployment),
    primaryType: 'Refund',
    message: { orderId: orderId(deployment, terms) },
    types: { StarknetDomain: domainFields, Refund: refundFields },
  }
}

function domainOf(deployment: Deployment): InitiateTypedData['domain'] {
  return { name: domainName(deployment), version, chainId: deployment.chainId, revision: 1 }
}

function encodeType(name: string, fields: readonly Field[]): string {
  return `"${name}"(${fields.map((field) => `"${field.name}":"${field.type}"`).join(',')})`
}

const u256Type = '"u256"("low":"u128","high":"u128")'
const u256TypeHash = selectorOf(u256Type)
const domainTypeHash = selectorOf(encodeType('StarknetDomain', domainFields))
const initiateTypeHash = selectorOf(`${encodeType('Initiate', initiateFields)}${u256Type}`)
const refundTypeHash = selectorOf(encodeType('Refund', refundFields))
const messagePrefix = shortString('StarkNet Message')

export function initiateDigest(deployment: Deployment, terms: OrderTerms): Felt {
  const { initiator, redeemer, timelock, amount, secretHash } = terms
  const amountHash = poseidon([u256TypeHash, ...u256Felts(amount)])
  return digest(
    deployment,
    initiator,
    poseidon([initiateTypeHash, redeemer, amountHash, u128Felt(timelock), poseidon(wordFelts(secretHash))]),
  )
}

export function refundDigest(deployment: Deployment, terms: OrderTerms): Felt {
  return digest(deployment, terms.redeemer, poseidon([refundTypeHash, orderId(deployment, terms)]))
}

function digest(deployment: Deployment, signer: Felt, messageHash: Felt): Felt {
  const domainHash = poseidon([domainTypeHash, shortString(domainName(deployment)), version, deployment.chainId, felt(1n)])
  return poseidon([messagePrefix, domainHash, signer, messageHash])
}
