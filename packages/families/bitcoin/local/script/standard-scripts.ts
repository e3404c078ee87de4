// Recognises the output script templates that Bitcoin Core names in its answers and relays by policy.
import { isPushOnly, OP, readInstructions } from './opcodes.ts'
import { isPlainKey } from './signature-encoding.ts'

export type ScriptType =
  | 'pubkey'
  | 'pubkeyhash'
  | 'scripthash'
  | 'multisig'
  | 'nulldata'
  | 'anchor'
  | 'witness_v0_keyhash'
  | 'witness_v0_scripthash'
  | 'witness_v1_taproot'
  | 'witness_unknown'
  | 'nonstandard'

export type WitnessProgram = { readonly version: number; readonly program: Uint8Array }

/** BIP141: the script is a version opcode and one direct push of 2 to 40 bytes. */
export function parseWitnessProgram(script: Uint8Array): WitnessProgram | null {
  const [version, length] = script
  if (script.length < 4 || script.length > 42 || version === undefined || length !== script.length - 2) return null
  if (version !== 0 && (version < OP.ONE || version > OP.SIXTEEN)) return null
  return { version: version === 0 ? 0 : version - OP.ONE + 1, program: script.subarray(2) }
}

export function isPayToScriptHash(script: Uint8Array): boolean {
  return script.length === 23 && script[0] === OP.HASH160 && script[1] === 20 && script[22] === OP.EQUAL
}

/** P2A is version 1 with the program 4e73. Anyone can spend it with an empty witness. */
export function isPayToAnchor({ version, program }: WitnessProgram): boolean {
  return version === 1 && program.length === 2 && program[0] === 0x4e && program[1] === 0x73
}

function witnessType(witness: WitnessProgram): ScriptType {
  const { version, program } = witness
  if (version === 0) return program.length === 20 ? 'witness_v0_keyhash' : program.length === 32 ? 'witness_v0_scripthash' : 'nonstandard'
  if (version === 1 && program.length === 32) return 'witness_v1_taproot'
  return isPayToAnchor(witness) ? 'anchor' : 'witness_unknown'
}

export type BareMultisig = { readonly required: number; readonly keys: readonly Uint8Array[] }

export function parseBareMultisig(script: Uint8Array): BareMultisig | null {
  if (script.at(-1) !== OP.CHECKMULTISIG) return null
  const instructions = readInstructions(script)
  const required = instructions?.[0]?.opcode ?? 0
  const total = instructions?.at(-2)?.opcode ?? 0
  if (!instructions || required < OP.ONE || required > OP.SIXTEEN || total < required || total > OP.SIXTEEN) return null
  const keys = instructions.slice(1, -2).flatMap(({ data }) => (data !== null && isPlainKey(data) ? [data] : []))
  if (keys.length !== instructions.length - 3 || keys.length !== total - OP.ONE + 1) return null
  return { required: required - OP.ONE + 1, keys }
}

export function isPayToPublicKeyHash(script: Uint8Array): boolean {
  return (
    script.length === 25 &&
    script[0] === OP.DUP &&
    script[1] === OP.HASH160 &&
    script[2] === 20 &&
    script[23] === OP.EQUALVERIFY &&
    script[24] === OP.CHECKSIG
  )
}

function isPayToPublicKey(script: Uint8Array): boolean {
  const key = script.subarray(1, -1)
  return script[0] === key.length && script.at(-1) === OP.CHECKSIG && isPlainKey(key)
}

export function classifyScript(script: Uint8Array): ScriptType {
  if (isPayToScriptHash(script)) return 'scripthash'
  const witness = parseWitnessProgram(script)
  if (witness !== null) return witnessType(witness)
  if (script[0] === OP.RETURN && isPushOnly(script.subarray(1))) return 'nulldata'
  if (isPayToPublicKey(script)) return 'pubkey'
  if (isPayToPublicKeyHash(script)) return 'pubkeyhash'
  return parseBareMultisig(script) === null ? 'nonstandard' : 'multisig'
}

/** Outputs that no input can ever spend stay out of the UTXO set. */
export function isUnspendable(script: Uint8Array): boolean {
  return script[0] === OP.RETURN || script.length > 10_000
}
