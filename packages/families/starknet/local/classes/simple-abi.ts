// Makes the ABI of a built-in class from the types of its functions and events.

export type AbiFunction = {
  readonly name: string
  readonly inputs: Readonly<Record<string, string>>
  readonly output?: string
  readonly changes?: boolean
}

export type AbiEvent = {
  readonly name: string
  readonly keys?: Readonly<Record<string, string>>
  readonly data?: Readonly<Record<string, string>>
}

const u256Struct = {
  type: 'struct',
  name: 'core::integer::u256',
  members: [
    { name: 'low', type: 'core::integer::u128' },
    { name: 'high', type: 'core::integer::u128' },
  ],
}
const boolEnum = {
  type: 'enum',
  name: 'core::bool',
  variants: [
    { name: 'False', type: '()' },
    { name: 'True', type: '()' },
  ],
}

export const abiTypes = {
  felt: 'core::felt252',
  felts: 'core::array::Array::<core::felt252>',
  address: 'core::starknet::contract_address::ContractAddress',
  classHash: 'core::starknet::class_hash::ClassHash',
  u8: 'core::integer::u8',
  u64: 'core::integer::u64',
  u128: 'core::integer::u128',
  u256: 'core::integer::u256',
  bool: 'core::bool',
  text: 'core::byte_array::ByteArray',
} as const

export function simpleAbi(
  constructorInputs: Readonly<Record<string, string>>,
  functions: readonly AbiFunction[],
  events: readonly AbiEvent[] = [],
): readonly unknown[] {
  return [
    u256Struct,
    boolEnum,
    { type: 'constructor', name: 'constructor', inputs: named(constructorInputs) },
    ...functions.map(({ name, inputs, output, changes = false }) => ({
      type: 'function',
      name,
      inputs: named(inputs),
      outputs: output === undefined ? [] : [{ type: output }],
      state_mutability: changes ? 'external' : 'view',
    })),
    ...events.map(({ name, keys = {}, data = {} }) => ({
      type: 'event',
      name: `simulator::${name}`,
      kind: 'struct',
      members: [
        ...named(keys).map((member) => ({ ...member, kind: 'key' })),
        ...named(data).map((member) => ({ ...member, kind: 'data' })),
      ],
    })),
    {
      type: 'event',
      name: 'simulator::Event',
      kind: 'enum',
      variants: events.map(({ name }) => ({ name, type: `simulator::${name}`, kind: 'nested' })),
    },
  ]
}

function named(types: Readonly<Record<string, string>>) {
  return Object.entries(types).map(([name, type]) => ({ name, type }))
}
