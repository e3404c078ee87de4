/** Refunds before the timelock ends: the redeemer signs its consent as a message, anyone sends it, and the program pays the initiator. */

import type { Address } from '@solana/kit'
import { createInstantRefund as createAbility } from '@tandem/chain-kit/contract/instant-refund.ts'
import type { InstantRefundAbility } from '@tandem/chain-kit/port/abilities/instant-refund.ts'
import { ed25519PublicKey, isEd25519Signature } from '@tandem/keys/ed25519-native.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { consentMessage, type Initiation } from '../contract/client/consent.ts'
import { accountOf, addressBytes, parseAddress } from '../terms/address.ts'
import { fixedUnits, unitPrice } from '../terms/fees/fees.ts'
import { type Contracts, swapIdOf } from '../terms/htlc.ts'
import { type Consent, refundInstructions } from '../terms/instructions.ts'
import { LAMPORTS_PER_SIGNATURE, priorityFeeOf } from '../terms/send/transaction.ts'
import { readOrder } from './contract-state.ts'
import type { SolanaExecutor } from './execute.ts'
import type { SolanaNode } from './nodes/node.ts'
import { solanaSigning } from './signing.ts'

const SIGNATURE_BYTES = 64

export function createInstantRefund(
  node: Pick<SolanaNode, 'accounts' | 'priorityFee'>,
  contracts: Contracts,
  executor: Pick<SolanaExecutor, 'refundInstantly'>,
): InstantRefundAbility {
  const contractOf = ({ asset }: HtlcTerms) => contracts.of(asset)
  const partiesOf = ({ initiator, redeemer }: HtlcTerms) => ({ initiator: parseAddress(initiator), redeemer: parseAddress(redeemer) })

  /** A settled order may be initiated again, so the consent names the initiation, which only the chain knows. */
  async function initiationOf(terms: HtlcTerms): Promise<readonly [Address, Initiation]> {
    const order = await readOrder(node, contractOf(terms), terms)
    const address = parseAddress(swapIdOf(contractOf(terms), terms))
    if (order === null) throw new TandemError('conflict', `the order ${address} is not initiated on the chain`)
    return [address, { initiatedSlot: order.initiatedSlot, initiateBefore: order.initiateBefore }]
  }

  return createAbility<Consent>({
    swapIdOf: (terms) => swapIdOf(contractOf(terms), terms),
    partiesOf,
    accountOf,
    async consent(terms, signer) {
      return Buffer.from(await solanaSigning.sign('refundConsent', signer, ...(await initiationOf(terms)))).toString('hex')
    },
    async readConsent(terms, text) {
      const signature = parseSignature(text)
      const message = consentMessage(...(await initiationOf(terms)))
      if (!isEd25519Signature(ed25519PublicKey(addressBytes(partiesOf(terms).redeemer)), message, signature))
        throw new TandemError('invalid_signature', 'the consent to this refund is not signed by the redeemer, or is for another initiation')
      return { message, signature }
    },
    /** Anyone can raise the recent prices of the initiator's accounts, so they count. The signature of the consent costs as much as that of the transaction. */
    async maxCost(terms) {
      const unitLimit = fixedUnits('refund')
      const price = await unitPrice(node, 'refund', refundInstructions(contractOf(terms), terms, null), unitLimit)
      return 2n * LAMPORTS_PER_SIGNATURE + priorityFeeOf({ unitLimit, unitPrice: price })
    },
    send: (terms, consent, outbox) => executor.refundInstantly(contractOf(terms), terms, consent, outbox),
  })
}

function parseSignature(text: string): Uint8Array {
  if (!/^[0-9a-f]+$/.test(text) || text.length !== 2 * SIGNATURE_BYTES)
    throw new TandemError('bad_request', `the consent to a refund must be an ed25519 signature: ${SIGNATURE_BYTES} bytes in hex`)
  return Buffer.from(text, 'hex')
}
