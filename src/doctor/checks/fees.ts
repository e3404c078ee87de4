/** Where the sender's account pays network fees, that account holds the chain's coin, and can send. */
import type { ChainClient } from '../../chains/port/client.ts'
import { readKeyring } from '../../config/keyring.ts'
import type { Keyring } from '../../keys/keyring.ts'
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

/** Null if one cannot be read, which the check `secrets` reports. */
export async function readKeys({ party, config, readSecret }: DoctorContext): Promise<Keyring | null> {
  return readKeyring(party === 'service' ? config.relay_key : config.private_key, readSecret).catch(() => null)
}

async function checkBalance({ party }: DoctorContext, client: ChainClient, keys: Keyring): Promise<Finding> {
  const { id, nativeAsset } = client.chain
  const address = client.addressOf(keys.of(client.curve))
  const advice = `send ${nativeAsset} to ${address}`
  try {
    const [balance, problem = null] = await Promise.all([client.balance(nativeAsset, address), client.checkSender?.(address)])
    if (problem !== null) return fail(id, `${problem.text}; it has ${balance} of ${nativeAsset} (smallest unit)`, problem.advice)
    if (balance > 0n) return ok(id, `${address} has ${balance} of ${nativeAsset} (smallest unit)`)
    const needed = party === 'service' ? 'relayed initiations, redeems and refunds' : 'its initiations and redeems'
    return fail(id, `${address} has no ${nativeAsset} to pay for ${needed}`, advice)
  } catch (error) {
    return warn(id, `the balance of ${address} cannot be read: ${reasonOf(error)}`, 'read the log of its node')
  }
}
