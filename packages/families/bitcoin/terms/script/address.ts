/** Parses payment addresses of one network to their canonical text and scriptPubKey. */
import { schnorr } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { bech32, bech32m, createBase58check } from '@scure/base'
import { OutScript, p2wpkh } from '@scure/btc-signer'
import { TandemError } from '@tandem/protocol/error.ts'
import { type BitcoinNetwork, bitcoinNetworks } from '../networks.ts'

const base58check = createBase58check(sha256)

const knownNetworks = Object.values(bitcoinNetworks)
const segwitPrefixes: ReadonlySet<string> = new Set(knownNetworks.map(({ bech32 }) => bech32))
const mwebPrefixes: ReadonlySet<string> = new Set(knownNetworks.flatMap(({ mweb }) => (mweb === null ? [] : [mweb.bech32])))

type Decoded = { readonly canonical: string; readonly script: Uint8Array }

/**
 * The canonical text is in lower case for segwit, and has the network's own version byte for base58.
 * An address that this network cannot pay or that nobody can spend is refused, with the reason.
 */
export function parseBitcoinAddress(text: string, network: BitcoinNetwork): string {
  return decode(text, network).canonical
}

export function scriptOfAddress(text: string, network: BitcoinNetwork): Uint8Array {
  return decode(text, network).script
}

function decode(text: string, network: BitcoinNetwork): Decoded {
  const prefix = text.slice(0, Math.max(text.lastIndexOf('1'), 0)).toLowerCase()
  if (mwebPrefixes.has(prefix))
    throw invalid(text, network, 'it is an MWEB address, whose payments nobody else can see: use an address of the main chain')
  if (text.length > 100) throw invalid(text, network, 'it is too long')
  if (segwitPrefixes.has(prefix)) return { canonical: text.toLowerCase(), script: decodeSegwit(text, network) }
  return decodeBase58(text, network)
}

/** A signer holds its coins at P2WPKH of its compressed public key. */
export function walletAddress(publicKey: Uint8Array, network: BitcoinNetwork): string {
  const { address } = p2wpkh(publicKey, network)
  if (address === undefined) throw new Error('expected a compressed public key, which has a P2WPKH address')
  return address
}

function decodeSegwit(text: string, network: BitcoinNetwork): Uint8Array {
  // BIP173: mixed case is invalid, so that upper case (smaller QR codes) cannot hide a typo.
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) throw invalid(text, network, 'it mixes upper and lower case')
  const decoded = decodeChecksum(text.toLowerCase())
  if (decoded === null) throw invalid(text, network, 'its checksum is wrong')
  if (decoded.prefix !== network.bech32) {
    throw invalid(text, network, `it belongs to another network: expected "${network.bech32}1…" for ${network.name}`)
  }
  const [version, ...words] = decoded.words
  const program = bech32.fromWordsUnsafe(words)
  if (version === undefined || !(program instanceof Uint8Array)) throw invalid(text, network, 'it holds no witness program')
  // BIP350: version 0 carries a bech32 checksum, every later one bech32m.
  if ((version === 0) !== (decoded.encoding === 'bech32')) throw invalid(text, network, 'its checksum is of the wrong kind for its version')
  if (version === 0 && program.length === 20) return OutScript.encode({ type: 'wpkh', hash: program })
  if (version === 0 && program.length === 32) return OutScript.encode({ type: 'wsh', hash: program })
  if (version === 1 && program.length === 32) {
    if (!isXOnlyKey(program)) throw invalid(text, network, 'its key is not on the curve, so nobody could spend it')
    return OutScript.encode({ type: 'tr', pubkey: program })
  }
  throw invalid(text, network, `witness version ${version} with ${program.length} bytes is not a known kind of address`)
}

function decodeChecksum(text: string) {
  // BIP350: no text is valid under both encodings.
  for (const [encoding, coder] of [['bech32', bech32] as const, ['bech32m', bech32m] as const]) {
    const decoded = coder.decodeUnsafe(text)
    if (decoded !== undefined) return { ...decoded, encoding }
  }
  return null
}

function decodeBase58(text: string, network: BitcoinNetwork): Decoded {
  let bytes: Uint8Array
  try {
    bytes = base58check.decode(text)
  } catch (cause) {
    throw invalid(text, network, 'it is neither bech32 nor base58 with a valid checksum', cause)
  }
  const [version] = bytes
  const hash = bytes.subarray(1)
  if (hash.length !== 20) throw invalid(text, network, `it holds ${hash.length} bytes instead of 20`)
  if (version === network.pubKeyHash) return { canonical: text, script: OutScript.encode({ type: 'pkh', hash }) }
  if (version === network.scriptHash || (version !== undefined && network.scriptHashAliases.includes(version))) {
    const canonical = base58check.encode(Uint8Array.of(network.scriptHash, ...hash))
    return { canonical, script: OutScript.encode({ type: 'sh', hash }) }
  }
  throw invalid(text, network, `it belongs to another network than ${network.name}`)
}

/** BIP340 lift_x: about half of all 32-byte strings are not a key. */
function isXOnlyKey(bytes: Uint8Array): boolean {
  try {
    schnorr.utils.lift_x(BigInt(`0x${bytesToHex(bytes)}`))
    return true
  } catch {
    return false
  }
}

export function parseXOnlyKey(text: string, field: string): Uint8Array {
  const bytes = /^[0-9a-f]{64}$/.test(text) ? hexToBytes(text) : null
  if (bytes === null || !isXOnlyKey(bytes)) {
    throw new TandemError('bad_request', `${field} must be an x-only public key (BIP340) as 64 lower-case hex characters, got "${text}"`)
  }
  return bytes
}

function invalid(text: string, network: BitcoinNetwork, reason: string, cause?: unknown): TandemError {
  return new TandemError('invalid_address', `"${text.slice(0, 100)}" is not a ${network.coin} address that we can pay: ${reason}`, {
    cause,
  })
}
