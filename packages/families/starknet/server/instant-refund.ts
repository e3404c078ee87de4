/** Refunds before the timelock ends: the redeemer signs its consent (SNIP-12), anyone sends it, and the contract pays the initiator. */

import { createInstantRefund as createAbility } from '@tandem/chain-kit/contract/instant-refund.ts'
import type { InstantRefundAbility } from '@tandem/chain-kit/port/abilities/instant-refund.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Felt } from '../contract/client/felt.ts'
import { feltOf, parseAddress } from '../terms/address.ts'
import { type Contracts, refundDigestOf, swapIdOf } from '../terms/htlc.ts'
import { accountOf } from './account.ts'
import { askAccount, parseSignature } from './account-signature.ts'
import type { StarknetExecutor } from './execute.ts'
import { instantRefundCost } from './fees/fees.ts'
import { MAX_RELAY_GAS } from './fees/gas.ts'
import type { StarknetNode } from './nodes/node.ts'
import { questionOf, starknetSigning } from './signing.ts'

type Parts = {
  readonly node: Pick<StarknetNode, 'block' | 'call' | 'classHashAt'>
  readonly contracts: Contracts
  readonly executor: Pick<StarknetExecutor, 'refundInstantly'>
  readonly accountClass: string
}

export function createInstantRefund({ node, contracts, executor, accountClass }: Parts): InstantRefundAbility {
  const contractOf = ({ asset }: HtlcTerms) => contracts.of(asset)

  /** An account that is not deployed consents to nothing. */
  async function isAccepted({ redeemer }: HtlcTerms, digest: Felt, signature: readonly Felt[]): Promise<boolean> {
    const answer = await askAccount(node, redeemer, digest, signature)
    if (answer === 'not deployed')
      throw new TandemError('conflict', `the account ${redeemer} is not deployed, so it cannot consent to a refund`)
    return answer === 'accepted'
  }

  return createAbility<readonly Felt[]>({
    swapIdOf: (terms) => swapIdOf(contractOf(terms), terms),
    partiesOf: ({ initiator, redeemer }) => ({ initiator: parseAddress(initiator), redeemer: parseAddress(redeemer) }),
    accountOf: (signer) => accountOf(signer, accountClass),
    /**
     * The account is asked before the consent is given: after it the solver never pays, so one that does not count would only cost the user
     * the swap. It is asked about another signature: whoever has the consent can use it, and the solver has not committed to the refund yet.
     */
    async consent(terms, signer) {
      const answer = await starknetSigning.sign('question', signer, terms.redeemer)
      if (!(await isAccepted(terms, questionOf(terms.redeemer), answer)))
        throw new TandemError(
          'conflict',
          `the account ${terms.redeemer} does not accept signatures of its key, so it cannot consent to a refund`,
        )
      return (await starknetSigning.sign('refundConsent', signer, contractOf(terms), terms)).join(',')
    },
    /** The contract asks the redeemer's account, and so do we. */
    async readConsent(terms, text) {
      const signature = parseSignature(text)
      if (!(await isAccepted(terms, refundDigestOf(contractOf(terms), terms), signature)))
        throw new TandemError('invalid_signature', `the account ${terms.redeemer} does not accept the consent to this refund`)
      return signature
    },
    /** An account of a class that we do not know may take all gas that we pay for. */
    async maxCost({ redeemer }) {
      const isKnown = (await node.classHashAt(feltOf(redeemer))) === feltOf(accountClass)
      return isKnown ? instantRefundCost(node) : instantRefundCost(node, MAX_RELAY_GAS)
    },
    send: (terms, signature, outbox) => executor.refundInstantly(contractOf(terms), terms, signature, outbox),
  })
}
