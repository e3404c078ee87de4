/** Whoever sends transactions on a chain of accounts needs its coin to pay for them. */
import type { ChainClient } from '../../chains/port/client.ts'
import type { Signer } from '../../keys/key.ts'
import { createSigner } from '../../keys/signer.ts'
import { type Check, type Finding, fail, ok, reasonOf, warn } from '../check.ts'
import type { Patient } from '../doctor-context.ts'

export const gas: Check = {
  name: 'gas',
  async look(patient) {
    const signer = await readSigner(patient)
    if (signer === null) return []
    const sound = await patient.soundChains()
    const payers = [...patient.network.clients.values()].filter(({ chain, orderKeys }) => sound.has(chain.id) && orderKeys === undefined)
    return Promise.all(payers.map((client) => lookAt(patient, client, signer)))
  },
}

/** Null when it cannot be read, which was told among the secrets. */
export async function readSigner({ party, config, readSecret }: Patient): Promise<Signer | null> {
  const reference = party === 'service' ? config.relay_key : config.private_key
  return readSecret(reference)
    .then(createSigner)
    .catch(() => null)
}

async function lookAt({ party }: Patient, client: ChainClient, signer: Signer): Promise<Finding> {
  const { id, nativeAsset } = client.chain
  const address = client.addressOf(signer)
  const advice = `send ${nativeAsset} to ${address}`
  try {
    const balance = await client.balance(nativeAsset, address)
    if (balance > 0n) return ok(id, `${address} has ${balance} of ${nativeAsset} (smallest unit)`)
    const needed = party === 'service' ? 'relayed initiations, redeems and refunds' : 'its initiations and redeems'
    return fail(id, `${address} has no ${nativeAsset} to pay for ${needed}`, advice)
  } catch (error) {
    return warn(id, `the balance of ${address} cannot be read: ${reasonOf(error)}`, 'look at the log of its node')
  }
}
