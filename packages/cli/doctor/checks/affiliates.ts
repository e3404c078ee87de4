/** The contracts that pay affiliates must be deployed. */

import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import { readPublicKeyring } from '@tandem/party/config/keyring.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { type Check, type Finding, fail, ok, reasonOf, warn } from '../check.ts'
import type { DoctorContext } from '../doctor-context.ts'

export const affiliates: Check = {
  name: 'affiliates',
  async run(context) {
    if (context.party !== 'service' || context.config.earnings === undefined) return []
    const { asset, signing_key } = context.config.earnings
    // The check `secrets` reports a key that cannot be read.
    const keys = await readPublicKeyring(signing_key, context).catch(() => null)
    if (keys === null) return []
    const found = await Promise.all([...(await context.healthyChains())].map((chain) => checkChain(context, chain, keys)))
    const payable = asset === undefined || isPayable(context, keys, asset.slice(0, asset.indexOf(':')))
    const advice = 'choose an asset of a chain that has such a contract, and serve that chain'
    return [...found.flat(), ...(payable ? [] : [fail('earnings.asset', `no contract can pay affiliates in ${asset}`, advice)])]
  },
}

/** A chain whose nodes cannot be read is reported by the check `secrets`. */
function isPayable({ chainsAlone, config }: DoctorContext, keys: PublicKeyring, chain: ChainId): boolean {
  const client = chainsAlone.clients.get(chain)
  if (client === undefined) return chain in config.chains
  return client.distributor !== undefined && keys.find(client) !== null
}

async function checkChain({ chainsAlone, path }: DoctorContext, chain: ChainId, keys: PublicKeyring): Promise<readonly Finding[]> {
  const client = chainsAlone.clients.get(chain)
  const key = client === undefined ? null : keys.find(client)
  if (client?.distributor === undefined || key === null) return []
  const contract = client.distributor.contractOf(key)
  const advice = `\`tandem deploy --chain ${chain} --distributor --config ${path}\` deploys it`
  try {
    if (await client.distributor.isDeployed(key)) return [ok(chain, `affiliates are paid by ${contract}`)]
    return [warn(chain, `affiliates cannot claim: there is no contract at ${contract}`, advice)]
  } catch (error) {
    return [fail(chain, reasonOf(error), 'use nodes that you trust; no other code can be at that address')]
  }
}
