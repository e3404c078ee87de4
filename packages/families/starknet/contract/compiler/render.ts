// Renders the committed files of the contract: its class, a module with the hashes, and ABIs.
import { hash } from 'starknet'
import { compilerVersion } from './cairo.ts'
import { sourceHash } from './sources.ts'

/** The form is that of a declaration, except that the ABI is not yet a text. */
export interface SierraClass {
  readonly sierra_program: readonly string[]
  readonly contract_class_version: string
  readonly entry_points_by_type: object
  readonly abi: readonly AbiEntry[]
}

interface AbiEntry {
  readonly type: string
  readonly name: string
  readonly items?: readonly AbiEntry[]
}

export function renderArtifacts(compiled: string): ReadonlyMap<string, string> {
  const { sierra_program, contract_class_version, entry_points_by_type, abi } = JSON.parse(compiled) as SierraClass
  const sierra = { sierra_program, contract_class_version, entry_points_by_type, abi }
  return new Map([
    ['htlc.sierra.json', `${JSON.stringify(sierra)}\n`],
    ['htlc.abi.json', `${JSON.stringify(abi, null, 2)}\n`],
    ['erc20.abi.json', `${JSON.stringify(erc20Abi, null, 2)}\n`],
    ['htlc.ts', renderModule(hash.computeSierraContractClassHash(JSON.parse(JSON.stringify(sierra))))],
  ])
}

function renderModule(classHash: string): string {
  return `// Generated from packages/families/starknet/contract/src by \`npm run cairo\`.
export const htlcClass = {
  /** The part of the Sierra class that every deployment of the contract has. */
  classHash: '${classHash}',
  /** SHA-256 of sources and compiler version. */
  sourceHash: '${sourceHash()}',
  compiler: 'cairo ${compilerVersion}',
} as const
`
}

const account = 'core::starknet::contract_address::ContractAddress'
const u256 = 'core::integer::u256'
const answer = (type: string): readonly object[] => [{ type }]
const view = (name: string, inputs: readonly object[], type: string) => ({
  type: 'function',
  name,
  inputs,
  outputs: answer(type),
  state_mutability: 'view',
})
const change = (name: string, inputs: readonly object[]) => ({
  type: 'function',
  name,
  inputs,
  outputs: answer('core::bool'),
  state_mutability: 'external',
})
const input = (name: string, type: string) => ({ name, type })

/** Orders need only this part of SNIP-2. */
const erc20Abi = [
  {
    type: 'struct',
    name: u256,
    members: [input('low', 'core::integer::u128'), input('high', 'core::integer::u128')],
  },
  {
    type: 'enum',
    name: 'core::bool',
    variants: [input('False', '()'), input('True', '()')],
  },
  view('decimals', [], 'core::integer::u8'),
  view('total_supply', [], u256),
  view('balance_of', [input('account', account)], u256),
  view('allowance', [input('owner', account), input('spender', account)], u256),
  change('transfer', [input('recipient', account), input('amount', u256)]),
  change('transfer_from', [input('sender', account), input('recipient', account), input('amount', u256)]),
  change('approve', [input('spender', account), input('amount', u256)]),
]
