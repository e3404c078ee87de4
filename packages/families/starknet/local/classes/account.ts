// Re-implements OpenZeppelin's account for Cairo with one STARK key in TypeScript. The simulator runs no Cairo.
import { panic } from '../execution/panic.ts'
import { selectorOf, shortString } from '../felt.ts'
import { isSignedBy } from '../hashes.ts'
import type { ContractClass, ContractEnv, EntryPoint } from './contract-class.ts'
import { type Outside, outsideV2 } from './outside-execution.ts'
import { abiTypes, simpleAbi } from './simple-abi.ts'
import { makeCalls, readCalls, type SignatureCheck } from './user-calls.ts'

const { bool, classHash, felt, felts } = abiTypes
export const VALID = shortString('VALID')
/** The interfaces are those of SNIP-6 and SNIP-5. */
const ISRC6_ID = 0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cdn
const ISRC5_ID = 0x3f918d17e5ee77373b56385708f855659a07f75997f365cf87748628532a055n

export const oneKey: SignatureCheck = (env, hash, signature) => {
  const [r, s] = signature
  return r !== undefined && s !== undefined && signature.length === 2 && isSignedBy(env.read('public key'), hash, [r, s])
}

function assertProtocol(env: ContractEnv): void {
  if (env.caller !== 0n) throw panic('Account: invalid caller')
}

export function validateBy(check: SignatureCheck): EntryPoint {
  return (env, calldata) => {
    calldata.rest()
    if (!check(env, env.transaction.hash, env.transaction.signature)) throw panic('Account: invalid signature')
    return [VALID]
  }
}

export const executeCalls: EntryPoint = (env, calldata) => {
  assertProtocol(env)
  const calls = readCalls(calldata)
  calldata.end()
  return makeCalls(env, calls)
}

export function isValidSignatureBy(check: SignatureCheck): EntryPoint {
  return (env, calldata) => {
    const [hash, signature] = [calldata.felt(), calldata.felts()]
    calldata.end()
    return [check(env, hash, signature) ? VALID : 0n]
  }
}

function supportsInterfaces(ids: ReadonlySet<bigint>): EntryPoint {
  return (_env, calldata) => {
    const id = calldata.felt()
    calldata.end()
    return [ids.has(id) ? 1n : 0n]
  }
}

export function accountEntryPoints(check: SignatureCheck, outside: readonly Outside[] = []): Readonly<Record<string, EntryPoint>> {
  const validate = validateBy(check)
  const isValidSignature = isValidSignatureBy(check)
  return {
    __validate__: validate,
    __validate_declare__: validate,
    __validate_deploy__: validate,
    __execute__: executeCalls,
    is_valid_signature: isValidSignature,
    isValidSignature,
    supports_interface: supportsInterfaces(new Set([ISRC6_ID, ISRC5_ID, ...outside.map(({ interfaceId }) => interfaceId)])),
    ...Object.assign({}, ...outside.map(({ entryPoints }) => entryPoints)),
  }
}

const calls = 'core::array::Array::<core::starknet::account::Call>'
const callStruct = {
  type: 'struct',
  name: 'core::starknet::account::Call',
  members: [
    { name: 'to', type: abiTypes.address },
    { name: 'selector', type: felt },
    { name: 'calldata', type: 'core::array::Span::<core::felt252>' },
  ],
}

export function accountAbi(constructorInputs: Readonly<Record<string, string>>): readonly unknown[] {
  const functions = [
    { name: '__execute__', inputs: { calls }, changes: true },
    { name: '__validate__', inputs: { calls }, output: felt },
    { name: '__validate_declare__', inputs: { class_hash: felt }, output: felt },
    {
      name: '__validate_deploy__',
      inputs: { class_hash: classHash, contract_address_salt: felt, ...constructorInputs },
      output: felt,
    },
    { name: 'is_valid_signature', inputs: { hash: felt, signature: felts }, output: felt },
    { name: 'isValidSignature', inputs: { hash: felt, signature: felts }, output: felt },
    { name: 'supports_interface', inputs: { interface_id: felt }, output: bool },
    { name: 'get_public_key', inputs: {}, output: felt },
  ]
  return [callStruct, ...simpleAbi(constructorInputs, functions)]
}

export const accountClass: ContractClass = {
  name: 'account',
  // The class hash is that of OpenZeppelin's account 1.0.0, for tools that know it.
  classHash: 0x5b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564n,
  construct(env, calldata) {
    const publicKey = calldata.felt()
    calldata.end()
    env.write('public key', publicKey)
    env.emit([selectorOf('OwnerAdded'), publicKey], [])
    return []
  },
  entryPoints: {
    ...accountEntryPoints(oneKey, [outsideV2(oneKey)]),
    get_public_key(env, calldata) {
      calldata.end()
      return [env.read('public key')]
    },
  },
  abi: accountAbi({ public_key: felt }),
}
