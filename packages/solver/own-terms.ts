/**
 * Checks, right before the solver pays, that it would have agreed to these terms. They were checked when the order was made, but have been
 * in a table since then: a changed redeemer, secret or timelock would make the solver pay for what it cannot collect.
 */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { PayCheck } from './pay-checks.ts'

export type OwnTermsContext = {
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly keys: PublicKeyring
}

export function createOwnTermsCheck(context: OwnTermsContext): PayCheck {
  const check = async (state: OrderState) => whyNotOurs(context, state)
  return Object.assign(check, { onceSigned: check })
}

function whyNotOurs({ registry, clients, keys }: OwnTermsContext, { order }: OrderState): string | null {
  const { source, destination } = order
  const ownIn = (leg: Leg) => {
    const client = clientFor(clients, order[leg].chain)
    return client.identityOf(keys.of(client))
  }
  if (source.terms.redeemer !== ownIn('source')) return 'the source does not pay the key of this solver'
  if (destination.terms.initiator !== ownIn('destination')) return 'the destination is not refunded to the key of this solver'
  if (source.terms.secretHash !== destination.terms.secretHash) return 'the two sides have different secrets'
  for (const leg of ['source', 'destination'] as const) {
    const { chain, terms } = order[leg]
    const asset = registry.asset(terms.asset)
    if (asset.chain !== chain) return `${terms.asset} is not on ${chain}`
  }
  const needed = requiredConfirmations(registry.chain(source.chain), registry.asset(source.terms.asset), source.terms.amount, 'source')
  return source.requiredConfirmations < needed
    ? `the deposit needs ${needed} confirmations, and the order asks for ${source.requiredConfirmations}`
    : null
}
