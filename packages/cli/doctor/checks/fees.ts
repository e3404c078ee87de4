/** An account that pays network fees must hold the chain's coin and be able to send. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import { readPublicKeyring } from '@tandem/party/config/keyring.ts'
import { PEAK_FACTOR } from '@tandem/party/engine/payout-gas.ts'
import { type Check, type Finding, fail, ok, reasonOf, warn } from '../check.ts'
import type { DoctorContext } from '../doctor-context.ts'

export const fees: Check = {
  name: 'fees',
  async run(context) {
    const keys = await readKeys(context)
    if (keys === null) return []
    const healthy = await context.healthyChains()
    const payers = [...context.network.clients.values()].filter(({ chain, orderKeys }) => healthy.has(chain.id) && orderKeys === undefined)
    return Promise.all(payers.map((client) => checkBalance(context, client, keys)))
  },
}

/** Resolves to null if a key cannot be read, which the check `secrets` reports. */
export async function readKeys(context: DoctorContext): Promise<PublicKeyring | null> {
  const { party, config } = context
  return readPublicKeyring(party === 'service' ? config.relay_key : config.private_key, context).catch(() => null)
}

/** If fewer redeems at a peak of fees can be paid, a solver takes nothing new from a chain, and a service nothing new to it. */
const REDEEMS_AHEAD = 4n
/** Below this many swaps at current fees there is a warning. */
const COMFORTABLE_SWAPS = 20n

async function checkBalance(context: DoctorContext, client: ChainClient, keys: PublicKeyring): Promise<Finding> {
  const { id, nativeAsset } = client.chain
  const address = client.addressOf(keys.of(client))
  try {
    const [balance, problem = null, costs] = await Promise.all([
      client.balance(nativeAsset, address),
      client.checkSender?.(address),
      costsOf(context, client),
    ])
    if (problem !== null) return fail(id, `${problem.text}; it has ${balance} of ${nativeAsset} (smallest unit)`, problem.advice)
    const holds = `${address} has ${balance} of ${nativeAsset} (smallest unit)`
    if (balance < costs.least || balance === 0n) {
      const needed = context.party === 'service' ? 'relayed initiations, redeems and refunds' : 'its redeems'
      const missing = costs.comfortable > balance ? costs.comfortable - balance : 1n
      return fail(
        id,
        `${holds}, too little to pay for ${needed}: at least ${costs.least}`,
        `send ${missing} of ${nativeAsset} to ${address}`,
      )
    }
    if (balance >= costs.comfortable) return ok(id, holds)
    return warn(
      id,
      `${holds}, less than ${COMFORTABLE_SWAPS} swaps cost: ${costs.comfortable}`,
      `send ${costs.comfortable - balance} of ${nativeAsset} to ${address}`,
    )
  } catch (error) {
    return warn(id, `the balance of ${address} cannot be read: ${reasonOf(error)}`, 'read the log of its node')
  }
}

/** The costs are in the chain's own coin, for its most expensive asset. Orders in flight need more: see `tandem solver status`. */
async function costsOf({ network }: DoctorContext, { chain, legCost }: ChainClient): Promise<Record<'least' | 'comfortable', bigint>> {
  const active = network.registry.assetsOf(chain.id).filter(({ deployment }) => deployment !== null)
  const costs = legCost === undefined ? [] : await Promise.all(active.map(({ id }) => legCost(id)))
  const most = (amounts: readonly bigint[]) => amounts.reduce((a, b) => (a > b ? a : b), 0n)
  const kept = most(costs.map((cost) => cost.kept ?? 0n))
  const least = kept + REDEEMS_AHEAD * most(costs.map(({ redeem, newRecipient = 0n }) => PEAK_FACTOR * redeem + newRecipient))
  const swaps = kept + COMFORTABLE_SWAPS * most(costs.map(({ initiate, redeem, refund, bound = 0n }) => initiate + redeem + refund + bound))
  return { least, comfortable: most([least, swaps]) }
}
