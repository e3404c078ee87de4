// Reads a transaction of version 3 from a client: its fields, checked, and its hash, recomputed.
import { hash } from 'starknet'
import type { ResourceBounds } from '../execution/gas.ts'
import { type Felts, hex, hexes } from '../felt.ts'
import { addressFrom } from '../hashes.ts'
import type { DeclaredClass } from './declared-class.ts'
import { type Fields, readBounds, readChoice, readFelt, readFelts, readU64 } from './fields.ts'

export type WireTransaction = CommonFields & (InvokeFields | DeployAccountFields | DeclareFields)

type CommonFields = {
  readonly sender: bigint
  readonly nonce: bigint
  readonly tip: bigint
  readonly bounds: ResourceBounds
  readonly signature: Felts
  readonly isQuery: boolean
  /** The size is the number of felts of calldata and signature. */
  readonly size: number
  /** The hash is computed on first use, which takes milliseconds. */
  readonly hash: bigint
  /** The form is that of nodes, without the hash. */
  readonly json: Fields
}

export type InvokeFields = { readonly type: 'INVOKE'; readonly calldata: Felts }
export type DeployAccountFields = {
  readonly type: 'DEPLOY_ACCOUNT'
  readonly classHash: bigint
  readonly salt: bigint
  readonly constructorCalldata: Felts
}
export type DeclareFields = { readonly type: 'DECLARE'; readonly classHash: bigint; readonly declared: DeclaredClass }

const VERSION = 3n
const QUERY_VERSION = 2n ** 128n + VERSION
type HashedFields = Parameters<typeof hash.calculateInvokeTransactionHash>[0]

const L1: HashedFields['nonceDataAvailabilityMode'] = 0

export class UnsupportedVersion extends Error {}

export function readTransaction(fields: Fields, chainId: bigint, readClass: (value: unknown) => DeclaredClass): WireTransaction {
  const type = readChoice(fields, 'type', ['INVOKE', 'DEPLOY_ACCOUNT', 'DECLARE'])
  const version = readFelt(fields, 'version')
  if (version !== VERSION && version !== QUERY_VERSION) throw new UnsupportedVersion(`version ${hex(version)}`)
  for (const mode of ['nonce_data_availability_mode', 'fee_data_availability_mode']) readChoice(fields, mode, ['L1'])
  const paymaster = readFelts(fields, 'paymaster_data')
  const common = {
    nonce: readFelt(fields, 'nonce'),
    tip: readU64(fields, 'tip'),
    bounds: readBounds(fields),
    signature: readFelts(fields, 'signature'),
    isQuery: version === QUERY_VERSION,
  }
  const hashed = {
    // The SDK's types list the values that it knows, but it computes with any.
    version: hex(version) as HashedFields['version'],
    chainId: hex(chainId) as HashedFields['chainId'],
    nonce: hex(common.nonce),
    nonceDataAvailabilityMode: L1,
    feeDataAvailabilityMode: L1,
    resourceBounds: hashedBounds(common.bounds),
    tip: common.tip,
    paymasterData: [...hexes(paymaster)],
  }
  switch (type) {
    case 'INVOKE': {
      const [sender, calldata, deployment] = [
        readFelt(fields, 'sender_address'),
        readFelts(fields, 'calldata'),
        readFelts(fields, 'account_deployment_data'),
      ]
      const proofFacts = fields.proof_facts === undefined ? [] : readFelts(fields, 'proof_facts')
      return lazily({ ...common, type, sender, calldata, size: calldata.length, json: shownFields(fields) }, () =>
        hash.calculateInvokeTransactionHash({
          ...hashed,
          senderAddress: hex(sender),
          compiledCalldata: [...hexes(calldata)],
          accountDeploymentData: [...hexes(deployment)],
          ...(proofFacts.length > 0 && { proofFacts: [...hexes(proofFacts)] }),
        }),
      )
    }
    case 'DEPLOY_ACCOUNT': {
      const [classHash, salt, constructorCalldata] = [
        readFelt(fields, 'class_hash'),
        readFelt(fields, 'contract_address_salt'),
        readFelts(fields, 'constructor_calldata'),
      ]
      const sender = addressFrom(classHash, salt, constructorCalldata)
      const size = constructorCalldata.length + 2
      return lazily({ ...common, type, sender, classHash, salt, constructorCalldata, size, json: shownFields(fields) }, () =>
        hash.calculateDeployAccountTransactionHash({
          ...hashed,
          contractAddress: hex(sender),
          classHash: hex(classHash),
          compiledConstructorCalldata: [...hexes(constructorCalldata)],
          salt: hex(salt),
        }),
      )
    }
    case 'DECLARE': {
      const [sender, deployment] = [readFelt(fields, 'sender_address'), readFelts(fields, 'account_deployment_data')]
      const declared = readClass(fields.contract_class)
      const { contract_class: _, ...shown } = fields
      const json = { ...shownFields(shown), class_hash: hex(declared.classHash) }
      const compiledClassHash = readFelt(fields, 'compiled_class_hash')
      return lazily({ ...common, type, sender, classHash: declared.classHash, declared, size: 1, json }, () =>
        hash.calculateDeclareTransactionHash({
          ...hashed,
          classHash: hex(declared.classHash),
          compiledClassHash: hex(compiledClassHash),
          senderAddress: hex(sender),
          accountDeploymentData: [...hexes(deployment)],
        }),
      )
    }
  }
}

/** The hash does not depend on the signature. */
export function signed(transaction: WireTransaction, signature: Felts): WireTransaction {
  const { hash: known, ...rest } = transaction
  return { ...rest, hash: known, signature, json: { ...rest.json, signature: hexes(signature) } } as WireTransaction
}

function lazily<Without extends object>(fields: Without, compute: () => string): Without & { readonly hash: bigint } {
  let known: bigint | undefined
  return Object.defineProperty(fields, 'hash', {
    enumerable: true,
    get: () => {
      known ??= BigInt(compute())
      return known
    },
  }) as Without & { readonly hash: bigint }
}

function hashedBounds({ l1Gas, l1DataGas, l2Gas }: ResourceBounds) {
  const bound = ({ maxAmount, maxPrice }: ResourceBounds['l1Gas']) => ({ max_amount: maxAmount, max_price_per_unit: maxPrice })
  return { l1_gas: bound(l1Gas), l1_data_gas: bound(l1DataGas), l2_gas: bound(l2Gas) }
}

/** Felts have no leading zeros, as nodes print them. Other fields stay unchanged. */
function shownFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(value)]))
}

function shown(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('0x')) return hex(BigInt(value))
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value === 'object' && value !== null) return shownFields(value as Fields)
  return value
}
