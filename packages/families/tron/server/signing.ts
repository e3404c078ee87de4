/** Everything that our keys sign on Tron alone. Consents to refunds are signed as on EVM chains. */
import { sha256 } from '@noble/hashes/sha2.js'
import { signingOf } from '@tandem/keys/operations.ts'
import { type ContractBody, rawDataOf, type TransactionFrame } from './send/raw-data.ts'

export const tronSigning = signingOf('secp256k1', {
  async transaction(signer, body: ContractBody, frame: TransactionFrame) {
    const rawData = await rawDataOf(body, frame)
    return { rawData, signature: signer.signEcdsa(sha256(rawData)) }
  },
})
