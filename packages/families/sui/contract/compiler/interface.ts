// Reads the module's interface from its source, in the JSON form of `sui_getNormalizedMoveModule`.
import { abortCodes } from '../client/errors.ts'

type TypeJson = string | { readonly [kind: string]: unknown }

const abilityNames: Readonly<Record<string, string>> = { copy: 'Copy', drop: 'Drop', store: 'Store', key: 'Key' }
const primitives: Readonly<Record<string, string>> = { u8: 'U8', u64: 'U64', bool: 'Bool', address: 'Address' }

const imported: Readonly<Record<string, readonly [address: string, module: string]>> = {
  UID: ['0x2', 'object'],
  TxContext: ['0x2', 'tx_context'],
  Balance: ['0x2', 'balance'],
  Clock: ['0x2', 'clock'],
  Coin: ['0x2', 'coin'],
}

/** `parameterNames` and `abortCodes` are ours: the form of the nodes has no fields for them. */
export function interfaceOf(source: string): object {
  const code = source.replaceAll(/\/\/.*$/gm, '')
  const structs = [...code.matchAll(/^public struct (\w+)(<phantom C>)? has ([\w, ]+) \{([^}]*)\}/gm)]
  const functions = [...code.matchAll(/^public fun (\w+)(<C>)?\(([^)]*)\)(?:: ([\w<>]+))? \{/gm)]
  return {
    fileFormatVersion: 7,
    address: '0x0',
    name: 'htlc',
    friends: [],
    structs: Object.fromEntries(
      structs.map(([, name = '', generic, abilities = '', fields = '']) => [name, structOf(generic, abilities, fields)]),
    ),
    exposedFunctions: Object.fromEntries(
      functions.map(([, name = '', generic, parameters = '', answer]) => [name, functionOf(generic, parameters, answer)]),
    ),
    abortCodes,
  }
}

function structOf(generic: string | undefined, abilities: string, fields: string): object {
  return {
    abilities: { abilities: abilities.split(', ').map((ability) => known(abilityNames[ability], ability)) },
    typeParameters: generic === undefined ? [] : [{ constraints: { abilities: [] }, isPhantom: true }],
    fields: declarations(fields).map(([name, type]) => ({ name, type: typeOf(type) })),
  }
}

function functionOf(generic: string | undefined, parameters: string, answer: string | undefined): object {
  const declared = declarations(parameters)
  return {
    visibility: 'Public',
    isEntry: false,
    typeParameters: generic === undefined ? [] : [{ abilities: [] }],
    parameters: declared.map(([, type]) => typeOf(type)),
    parameterNames: declared.map(([name]) => name),
    return: answer === undefined ? [] : [typeOf(answer)],
  }
}

function declarations(text: string): readonly (readonly [name: string, type: string])[] {
  const parts = text.split(',').map((part) => part.trim())
  return parts.filter((part) => part !== '').map((part) => [part.slice(0, part.indexOf(':')), part.slice(part.indexOf(':') + 1).trim()])
}

function typeOf(type: string): TypeJson {
  if (type.startsWith('&mut ')) return { MutableReference: typeOf(type.slice(5)) }
  if (type.startsWith('&')) return { Reference: typeOf(type.slice(1)) }
  if (type === 'C') return { TypeParameter: 0 }
  const [, name = '', argument] = /^(\w+)(?:<(.+)>)?$/.exec(type) ?? []
  if (name === 'vector' && argument !== undefined) return { Vector: typeOf(argument) }
  if (argument === undefined && primitives[name] !== undefined) return primitives[name]
  const [address, module] = imported[name] ?? ['0x0', 'htlc']
  return { Struct: { address, module, name, typeArguments: argument === undefined ? [] : [typeOf(argument)] } }
}

function known(value: string | undefined, what: string): string {
  if (value === undefined) throw new Error(`"${what}" is not an ability`)
  return value
}
