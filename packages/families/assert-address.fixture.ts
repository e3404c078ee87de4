/** Checks addresses in the registry independently of the families' own code. */
import { sha256 } from '@noble/hashes/sha2.js'
import { base58, createBase58check } from '@scure/base'
import type { Chain } from '@tandem/protocol/chain.ts'
import { getAddress } from 'viem'

const tronCheck = createBase58check(sha256)
/** The number is the prime of Starknet's field: an address is an element of it. */
const FIELD_PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n

export function assertAddress(family: Chain['family'], address: string): void {
  if (family === 'solana') {
    if (base58.decode(address).length !== 32) throw new Error(`${address} is not 32 bytes`)
  } else if (family === 'tron') {
    const bytes = tronCheck.decode(address)
    if (bytes.length !== 21 || bytes[0] !== 0x41) throw new Error(`${address} is not a Tron address`)
  } else if (family === 'starknet') {
    if (!/^0x[0-9a-f]{64}$/.test(address) || BigInt(address) === 0n || BigInt(address) >= FIELD_PRIME)
      throw new Error(`${address} is not a field element`)
  } else if (family === 'evm' || family === 'hypercore') {
    if (getAddress(address) !== address) throw new Error(`${address} has a wrong checksum (EIP-55)`)
  } else throw new Error(`${family} has no tokens here`)
}
