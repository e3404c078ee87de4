/** Encodes taproot addresses fast: it runs for every output of every block, where a general encoder costs more than parsing the block. */
import type { BitcoinNetwork } from '../../terms/networks.ts'

const SCRIPT_BYTES = 34
const KEY_BYTES = 32
const CHARSET = Buffer.from('qpzry9x8gf2tvdw0s3jn54khce6mua7l', 'latin1')
/** BIP350 defines this constant of the checksum. */
const BECH32M = 0x2bc830a3
const CHECKSUM_WORDS = 6

/** BIP173 defines the generator of the checksum. */
const FEEDBACK = Int32Array.from({ length: 32 }, (_, bits) =>
  [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3].reduce((sum, generator, i) => ((bits >> i) & 1 ? sum ^ generator : sum), 0),
)

type Encoder = (bytes: Uint8Array, keyAt: number) => string

const encoders = new Map<string, Encoder>()

/** The address is null unless the output is taproot (BIP341: OP_1 and a push of 32 bytes). The script is `length` bytes at `at`. */
export function taprootAddressAt(
  bytes: Uint8Array,
  { bech32 }: Pick<BitcoinNetwork, 'bech32'>,
  at = 0,
  length = bytes.length,
): string | null {
  if (length !== SCRIPT_BYTES || bytes[at] !== 0x51 || bytes[at + 1] !== 0x20) return null
  const encode = encoders.get(bech32) ?? createEncoder(bech32)
  encoders.set(bech32, encode)
  return encode(bytes, at + 2)
}

function createEncoder(prefix: string): Encoder {
  const codes = [...prefix].map((letter) => letter.charCodeAt(0))
  const start = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), 1].reduce(addWord, 1)
  // The version is the first word: 'p' stands for 1.
  const text = Buffer.from(`${prefix}1p${'q'.repeat(Math.ceil((KEY_BYTES * 8) / 5) + CHECKSUM_WORDS)}`, 'latin1')
  const dataAt = prefix.length + 2
  return (bytes, keyAt) => {
    let checksum = start
    let written = dataAt
    const write = (word: number) => {
      text[written] = CHARSET[word] ?? 0
      written += 1
    }
    let [register, bits] = [0, 0]
    for (let i = 0; i < KEY_BYTES; i++) {
      register = ((register << 8) | (bytes[keyAt + i] ?? 0)) & 0xfff
      for (bits += 8; bits >= 5; ) {
        bits -= 5
        const word = (register >> bits) & 31
        checksum = addWord(checksum, word)
        write(word)
      }
    }
    const last = (register << (5 - bits)) & 31
    checksum = addWord(checksum, last)
    write(last)
    for (let i = 0; i < CHECKSUM_WORDS; i++) checksum = addWord(checksum, 0)
    checksum ^= BECH32M
    for (let i = CHECKSUM_WORDS - 1; i >= 0; i--) write((checksum >> (5 * i)) & 31)
    return text.toString('latin1')
  }
}

function addWord(checksum: number, word: number): number {
  return ((checksum & 0x1ffffff) << 5) ^ word ^ (FEEDBACK[checksum >>> 25] ?? 0)
}
