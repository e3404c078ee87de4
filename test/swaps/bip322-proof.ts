/** A BIP322 "simple" proof of a P2WPKH address, written from the standard and independent of src. */
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { p2wpkh, RawTx, RawWitness, Transaction } from '@scure/btc-signer'
import { pubECDSA } from '@scure/btc-signer/utils.js'

const TAG = sha256(utf8ToBytes('BIP0322-signed-message'))
const OP_RETURN = Uint8Array.of(0x6a)
const PUSH_32_AFTER_0 = Uint8Array.of(0x00, 0x20)

export function proveAddress(key: Uint8Array, message: string): string {
  const { script } = p2wpkh(pubECDSA(key))
  const hash = sha256(concatBytes(TAG, TAG, utf8ToBytes(message)))
  const toSpend = RawTx.encode({
    version: 0,
    segwitFlag: false,
    inputs: [{ txid: new Uint8Array(32), index: 0xffffffff, finalScriptSig: concatBytes(PUSH_32_AFTER_0, hash), sequence: 0 }],
    outputs: [{ amount: 0n, script }],
    witnesses: undefined,
    lockTime: 0,
  })
  const toSign = new Transaction({ version: 0, allowUnknownOutputs: true })
  // A txid is the hash in reverse byte order.
  const txid = sha256(sha256(toSpend)).reverse()
  toSign.addInput({ txid, index: 0, sequence: 0, witnessUtxo: { script, amount: 0n } })
  toSign.addOutput({ script: OP_RETURN, amount: 0n })
  toSign.sign(key)
  toSign.finalize()
  return base64.encode(RawWitness.encode([...(toSign.getInput(0).finalScriptWitness ?? [])]))
}
