/** Generated raw transactions and blocks for scans. No chain would accept them. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { RawTx } from '@scure/btc-signer'
import { merkleRoot } from '../../../../devnet/bitcoin/chain/merkle.ts'
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import type { WatchedSwap } from '../../port/watched-swaps.ts'
import type { BitcoinNetwork } from '../networks.ts'
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

/** Fewer than 65,536 transactions. Without proof of work. */
export function makeBlock(parentHash: string, time: number, transactions: readonly MadeTransaction[]): MadeBlock {
  const header = Buffer.alloc(80)
  header.writeUInt32LE(0x20000000, 0)
  header.set(hexToBytes(parentHash).reverse(), 4)
  header.set(merkleRoot(transactions.map(({ txid }) => hexToBytes(txid).reverse())).root, 36)
  header.writeUInt32LE(time, 68)
  const count = Buffer.alloc(3, 0xfd)
  count.writeUInt16LE(transactions.length, 1)
  return {
    bytes: concatBytes(header, count, ...transactions.map(({ bytes }) => bytes)),
    hash: bytesToHex(sha256(sha256(header)).reverse()),
  }
}

/** 32 bytes, different for each number. */
export function hashOf(n: number): string {
  return bytesToHex(sha256(Buffer.from(String(n))))
}

/** BIP341: OP_1 and a key. */
export function taprootScript(key: string): Uint8Array {
  return concatBytes(Uint8Array.of(0x51, 0x20), hexToBytes(key))
}

/** A swap at the taproot output of this key, with generated terms. */
export function swapAt(key: string, network: BitcoinNetwork): WatchedSwap {
  const terms: HtlcTerms = { asset: 'bitcoin_regtest:btc', initiator: key, redeemer: key, amount: 100_000n, secretHash: key, timelock: 20n }
  return { swapId: taprootAddressAt(taprootScript(key), network) ?? '', terms }
}
