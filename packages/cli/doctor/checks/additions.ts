/** Shows the chains and assets that the operator added, and which of them are in use. Their values were checked when the configuration was read. */
import { formatUnits } from '@tandem/protocol/amount.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ListedAsset } from '@tandem/protocol/registry/registry.ts'
import { type Check, type Finding, ok, warn } from '../check.ts'

export const additions: Check = {
  name: 'registry',
  async run({ config, network: { registry } }) {
    const { chains = {}, assets = {} } = config.registry ?? {}
    return [
      ...registry.chains.filter(({ id }) => Object.hasOwn(chains, id)).map((chain) => chainFinding(chain, registry.isServed(chain.id))),
      ...registry.assets.filter(({ id }) => Object.hasOwn(assets, id)).map((asset) => assetFinding(asset, registry.isServed(asset.chain))),
    ]
  },
}

function chainFinding({ id, displayName, reference, requiredConfirmations, timelocks, clock }: Chain, isServed: boolean): Finding {
  const text = `${displayName} is ${reference}; ${requiredConfirmations} confirmations; timelocks of ${timelocks.source} and ${timelocks.destination} ${clock.unit}`
  return isServed
    ? ok(id, text)
    : warn(id, `${text}; it is not served`, `list its nodes in chains.${id}, or remove it from registry.chains`)
}

function assetFinding(
  { id, chain, symbol, decimals, minAmount, maxAmount, tokenAddress, deployment }: ListedAsset,
  isServed: boolean,
): Finding {
  const amounts = `${formatUnits(minAmount, decimals)} to ${formatUnits(maxAmount, decimals)} ${symbol} a swap`
  const text = `${tokenAddress === null ? `the coin of ${chain}` : `the token ${tokenAddress}`}; ${decimals} decimals; ${amounts}`
  if (deployment !== null) return ok(id, text)
  return isServed
    ? warn(
        id,
        `${text}; it is inactive: no HTLC is deployed for it`,
        `\`tandem deploy --chain ${chain}\` deploys it; name it in deployments.${id}`,
      )
    : warn(id, `${text}; its chain is not served`, `list the nodes of ${chain} in chains.${chain}, or remove it from registry.assets`)
}
