import { bytesToHex } from '@noble/hashes/utils.js'
import type { Signer } from '@tandem/keys/key.ts'
import type { Fill } from '@tandem/protocol/fill.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { identityOf } from '../terms/script/user-key.ts'
import { bitcoinSigning } from './signing.ts'

export async function signFill(terms: HtlcTerms, orderId: string, fill: Fill, signer: Signer): Promise<string> {
  if (identityOf(signer) !== terms.redeemer) throw new Error('only the redeemer of these terms can sign a fill')
  return bytesToHex(await bitcoinSigning.sign('fill', signer, terms, orderId, fill))
}
