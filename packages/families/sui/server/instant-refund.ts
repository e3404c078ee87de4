/** Refunds before the timelock ends: the redeemer signs its consent as a personal message, anyone sends it, and the module pays the initiator. */

import { createInstantRefund as createAbility } from '@tandem/chain-kit/contract/instant-refund.ts'
import type { InstantRefundAbility } from '@tandem/chain-kit/port/abilities/instant-refund.ts'
import { ed25519PublicKey, isEd25519Signature } from '@tandem/keys/ed25519-native.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { accountOf, ED25519_FLAG, parseAddress } from '../terms/address.ts'
import { type Contracts, swapIdOf } from '../terms/htlc.ts'
import type { Consent } from '../terms/send/call.ts'
import type { SuiExecutor } from './execute.ts'
import { refundDigestOf, suiSigning } from './signing.ts'

const SIGNATURE_BYTES = 64
const KEY_BYTES = 32
const CONSENT_BYTES = 1 + SIGNATURE_BYTES + KEY_BYTES

export function createInstantRefund(contracts: Contracts, executor: Pick<SuiExecutor, 'refundInstantly'>): InstantRefundAbility {
  const contractOf = ({ asset }: HtlcTerms) => contracts.of(asset)
  const partiesOf = ({ initiator, redeemer }: HtlcTerms) => ({ initiator: parseAddress(initiator), redeemer: parseAddress(redeemer) })

  return createAbility<Consent>({
    swapIdOf: (terms) => swapIdOf(contractOf(terms), terms),
    partiesOf,
    accountOf,
    /** Wallets write signatures in this form: scheme, signature and public key in base64. */
    async consent(terms, signer) {
      const signature = await suiSigning.sign('refundConsent', signer, contractOf(terms), terms)
      return Buffer.from([ED25519_FLAG, ...signature, ...signer.publicKey]).toString('base64')
    },
    async readConsent(terms, text) {
      const consent = parseConsent(text)
      const { publicKey, signature } = consent
      if (accountOf({ curve: 'ed25519', publicKey }) !== partiesOf(terms).redeemer)
        throw new TandemError('invalid_signature', 'the consent to this refund is not signed by the redeemer')
      if (!isEd25519Signature(ed25519PublicKey(publicKey), refundDigestOf(contractOf(terms), terms), signature))
        throw new TandemError('invalid_signature', 'the consent is not a signature for this refund')
      return consent
    },
    send: (terms, consent, outbox) => executor.refundInstantly(contractOf(terms), terms, consent, outbox),
  })
}

/** The module knows ed25519 alone. */
function parseConsent(text: string): Consent {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== CONSENT_BYTES || bytes[0] !== ED25519_FLAG || bytes.toString('base64') !== text)
    throw new TandemError('bad_request', `the consent to a refund must be an ed25519 signature of Sui: ${CONSENT_BYTES} bytes in base64`)
  return { signature: bytes.subarray(1, 1 + SIGNATURE_BYTES), publicKey: bytes.subarray(1 + SIGNATURE_BYTES) }
}
