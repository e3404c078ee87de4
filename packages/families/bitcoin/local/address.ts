// Converts between addresses and output scripts of one network.
import { sha256 } from '@noble/hashes/sha2.js'
import { bech32, bech32m, createBase58check } from '@scure/base'
import type { BitcoinNetwork } from './network.ts'
import { OP } from './script/opcodes.ts'
import { isPayToPublicKeyHash, isPayToScriptHash, parseWitnessProgram } from './script/standard-scripts.ts'

const base58check = createBase58check(sha256)

export function encodeAddress(script: Uint8Array, network: BitcoinNetwork): string | null {
  const witness = parseWitnessProgram(script)
  if (witness !== null) {
    const { version, program } = witness
    if (version === 0 && program.length !== 20 && program.length !== 32) return null
    const coder = version === 0 ? bech32 : bech32m
    return coder.encode(network.bech32, [version, ...coder.toWords(program)])
  }
  if (isPayToPublicKeyHash(script)) return base58check.encode(Uint8Array.of(network.pubKeyHash, ...script.subarray(3, 23)))
  if (isPayToScriptHash(script)) return base58check.encode(Uint8Array.of(network.scriptHash, ...script.subarray(2, 22)))
  return null
}

function decodeSegwit(address: string, network: BitcoinNetwork): Uint8Array | null {
  for (const coder of [bech32, bech32m]) {
    const decoded = coder.decodeUnsafe(address, 90)
    if (!decoded || decoded.prefix !== network.bech32) continue
    const [version, ...words] = decoded.words
    const program = version === undefined || version > 16 ? undefined : coder.fromWordsUnsafe(words)
    if (version === undefined || !program || program.length < 2 || program.length > 40) continue
    // BIP350: version 0 keeps the old checksum, all later versions use bech32m.
    if ((version === 0) !== (coder === bech32)) continue
    if (version === 0 && program.length !== 20 && program.length !== 32) continue
    return Uint8Array.of(version === 0 ? 0 : OP.ONE + version - 1, program.length, ...program)
  }
  return null
}

function decodeBase58(address: string, network: BitcoinNetwork): Uint8Array | null {
  let payload: Uint8Array
  try {
    payload = base58check.decode(address)
  } catch (error) {
    // The coder throws for a wrong alphabet, length or checksum: the text is not an address.
    if (error instanceof Error) return null
    throw error
  }
  const hash = payload.subarray(1)
  if (hash.length !== 20) return null
  if (payload[0] === network.pubKeyHash) return Uint8Array.of(OP.DUP, OP.HASH160, 20, ...hash, OP.EQUALVERIFY, OP.CHECKSIG)
  const isScriptHash = payload[0] === network.scriptHash || network.scriptHashAliases.some((version) => version === payload[0])
  return isScriptHash ? Uint8Array.of(OP.HASH160, 20, ...hash, OP.EQUAL) : null
}

export function decodeAddress(address: string, network: BitcoinNetwork): Uint8Array | null {
  return decodeSegwit(address, network) ?? decodeBase58(address, network)
}
