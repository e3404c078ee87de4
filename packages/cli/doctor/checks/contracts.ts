/** The right contract must be at each configured address. */
import { createNetwork } from '@tandem/party/engine/network.ts'
import type { ListedAsset } from '@tandem/protocol/registry/registry.ts'
import { type Check, type Finding, fail, ok, reasonOf, warn } from '../check.ts'
import type { DoctorContext } from '../doctor-context.ts'

export const contracts: Check = {
  name: 'contracts',
  async run(context) {
    const { registry } = context.network
    const served = [...(await context.healthyChains())]
    const active = served.flatMap((chain) => registry.assetsOf(chain)).filter((asset) => asset.deployment !== null)
    const idle = served.filter((chain) => registry.assetsOf(chain).every((asset) => asset.deployment === null))
    return [
      ...(await Promise.all(active.map((asset) => checkAsset(context, asset)))),
      ...idle.map((chain) =>
        warn(
          chain,
          'has no active asset: no HTLC is deployed there',
          `\`tandem deploy --chain ${chain}\` deploys them; or remove the chain`,
        ),
      ),
    ]
  },
}

async function checkAsset({ settings }: DoctorContext, { id, chain, decimals, deployment }: ListedAsset): Promise<Finding> {
  if (deployment === null || (deployment.htlc === null && deployment.token === null)) return ok(id, 'needs no contract')
  const endpoints = settings.chains[chain]
  const alone = await createNetwork({
    ...settings,
    chains: endpoints === undefined ? {} : { [chain]: endpoints },
    deployments: { [id]: deployment },
  })
  try {
    await alone.clients.get(chain)?.verifyNode()
    return ok(
      id,
      `HTLC at ${deployment.htlc}, its code is that of this version${deployment.token === null ? '' : `; token at ${deployment.token} with ${decimals} decimals`}`,
    )
  } catch (error) {
    return fail(id, reasonOf(error), `correct deployments.${id}, or deploy the HTLC with \`tandem deploy --chain ${chain}\``)
  } finally {
    await alone.close()
  }
}
