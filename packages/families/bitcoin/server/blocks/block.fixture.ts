/** Makes raw transactions and blocks for scans. No chain would accept them, but their proof of work is that of a regtest. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { RawTx } from '@scure/btc-signer'
import type { WatchedSwap } from '@tandem/chain-kit/port/watched-swaps.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { serializeHeader } from '../../local/chain/block.ts'
import { merkleRoot } from '../../local/chain/merkle.ts'
import { solve } from '../../local/chain/proof-of-work.ts'
import { bitcoinRegtest, type BitcoinNetwork as RegtestNetwork } from '../../local/network.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { taprootAddressAt } from '../script/taproot-address.ts'
import { parseTransaction } from '../script/transaction.ts'

export type MadeTransaction = { readonly bytes: Uint8Array; readonly txid: string }
export type MadeBlock = { readonly bytes: Uint8Array; readonly hash: string }

export function makeTransaction(
  from: readonly string[],
  outputs: readonly { readonly script: Uint8Array; readonly amount: bigint }[],
  witness: readonly Uint8Array[] | null = [new Uint8Array(64)],
): MadeTransaction {
  const bytes = RawTx.encode({
    version: 2,
    segwitFlag: witness !== null,
    inputs: from.map((outpoint) => {
      const [txid = '', index] = outpoint.split(':')
      return { txid: hexToBytes(txid), index: Number(index), finalScriptSig: new Uint8Array(), sequence: 0xfffffffd }
    }),
    outputs: [...outputs],
    witnesses: witness === null ? undefined : from.map(() => [...witness]),
    lockTime: 0,
  })
  return { bytes, txid: parseTransaction(bytesToHex(bytes)).txid() }
}

export function makeBlock(
  parentHash: string,
  time: number,
  transactions: readonly MadeTransaction[],
  network: RegtestNetwork = bitcoinRegtest,
): MadeBlock {
  const merkle = merkleRoot(transactions.map(({ txid }) => hexToBytes(txid).reverse())).root
  const unsolved = {
    version: 0x20000000,
    previousHash: parentHash,
    merkleRoot: bytesToHex(merkle.toReversed()),
    time,
    bits: network.powLimitBits,
    nonce: 0,
  }
  const header = serializeHeader(solve(unsolved, network))
  const count = Buffer.alloc(3, 0xfd)
  count.writeUInt16LE(transactions.length, 1)
  return {
    bytes: concatBytes(header, count, ...transactions.map(({ bytes }) => bytes)),
    hash: bytesToHex(sha256(sha256(header)).reverse()),
  }
}

export function headerAnswer({ bytes, hash }: MadeBlock, height: number): Readonly<Record<string, unknown>> {
  const header = Buffer.from(bytes.slice(0, 80))
  const shown = (from: number) =>
    Buffer.from(header.subarray(from, from + 32))
      .reverse()
      .toString('hex')
  return {
    hash,
    height,
    version: header.readInt32LE(0),
    ...(height > 0 && { previousblockhash: shown(4) }),
    merkleroot: shown(36),
    time: header.readUInt32LE(68),
    bits: header.readUInt32LE(72).toString(16).padStart(8, '0'),
    nonce: header.readUInt32LE(76),
  }
}

export function hashOf(n: number): string {
  return bytesToHex(sha256(Buffer.from(String(n))))
}

export function taprootScript(key: string): Uint8Array {
  return concatBytes(Uint8Array.of(0x51, 0x20), hexToBytes(key))
}

export function swapAt(key: string, network: BitcoinNetwork): WatchedSwap {
  const terms: HtlcTerms = { asset: 'bitcoin_regtest:btc', initiator: key, redeemer: key, amount: 100_000n, secretHash: key, timelock: 20n }
  return { swapId: taprootAddressAt(taprootScript(key), network) ?? '', terms }
}
