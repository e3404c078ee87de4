// Shows and parses output descriptors as Bitcoin Core does: addr(), raw(), rawtr(), pk(), multi(), with their checksums (BIP380).
import { decodeAddress, encodeAddress } from '../address.ts'
import type { BitcoinNetwork } from '../network.ts'
import { classifyScript, parseBareMultisig, parseWitnessProgram } from '../script/standard-scripts.ts'
import { fromHex, isHex, toHex } from '../wire/bytes.ts'

const INPUT_CHARSET = '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ '
const CHECKSUM_CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATOR = [0xf5dee51989n, 0xa9fdca3312n, 0x1bab10e32dn, 0x3706b1677an, 0x644d626ffdn]

function polymodStep(state: bigint, symbol: bigint): bigint {
  const top = state >> 35n
  let next = ((state & 0x7ffffffffn) << 5n) ^ symbol
  for (const [bit, generator] of GENERATOR.entries()) if ((top >> BigInt(bit)) & 1n) next ^= generator
  return next
}

/** BIP380 defines the checksum. It is null when the text has characters that descriptors do not use. */
function descriptorChecksum(text: string): string | null {
  let state = 1n
  let group = 0n
  let inGroup = 0
  for (const character of text) {
    const position = INPUT_CHARSET.indexOf(character)
    if (position < 0) return null
    state = polymodStep(state, BigInt(position & 31))
    group = group * 3n + BigInt(position >> 5)
    if (++inGroup === 3) {
      state = polymodStep(state, group)
      group = 0n
      inGroup = 0
    }
  }
  if (inGroup > 0) state = polymodStep(state, group)
  for (let i = 0; i < 8; i++) state = polymodStep(state, 0n)
  state ^= 1n
  return Array.from({ length: 8 }, (_, i) => CHECKSUM_CHARSET[Number((state >> BigInt(5 * (7 - i))) & 31n)]).join('')
}

/** Scripts that show their keys are described by them. */
function describeKeys(script: Uint8Array): string | null {
  const type = classifyScript(script)
  if (type === 'pubkey') return `pk(${toHex(script.subarray(1, -1))})`
  const multisig = type === 'multisig' ? parseBareMultisig(script) : null
  return multisig === null ? null : `multi(${[multisig.required, ...multisig.keys.map(toHex)].join(',')})`
}

export function describeScript(script: Uint8Array, network: BitcoinNetwork): string {
  const witness = parseWitnessProgram(script)
  const address = encodeAddress(script, network)
  const text =
    describeKeys(script) ??
    (witness?.version === 1 && witness.program.length === 32
      ? `rawtr(${toHex(witness.program)})`
      : address === null
        ? `raw(${toHex(script)})`
        : `addr(${address})`)
  return `${text}#${descriptorChecksum(text)}`
}

export function parseDescriptor(descriptor: string, network: BitcoinNetwork): Uint8Array | null {
  const [text = '', checksum] = descriptor.split('#')
  if (checksum !== undefined && checksum !== descriptorChecksum(text)) return null
  const match = /^(addr|raw)\(([^()]*)\)$/.exec(text)
  const argument = match?.[2] ?? ''
  if (match?.[1] === 'addr') return decodeAddress(argument, network)
  return match?.[1] === 'raw' && isHex(argument) ? fromHex(argument) : null
}
