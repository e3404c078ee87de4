/** Checks that the names in a configuration exist in its environment, and that their values are usable. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { familyNamed, loadFamily } from '@tandem/families/index.ts'
import { addableFamily } from '@tandem/families/registry.ts'
import { curves } from '@tandem/keys/keyring.ts'
import { parsePublicKey } from '@tandem/keys/public-key.ts'
import { parseUsdMicros, parseUsdPrice } from '@tandem/protocol/amount.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { didYouMean } from '@tandem/protocol/nearest-name.ts'
import { openPolicy, parsePolicy } from '@tandem/protocol/policy.ts'
import type { Environment } from '@tandem/protocol/registry/environment.ts'
import { applyLimits } from '@tandem/protocol/registry/limits.ts'
import { assertNoDuplicates } from '@tandem/protocol/registry/registry.ts'
import { withFirstBlock } from '../engine/network.ts'
import { chainEndpoints, PUBLIC_QUORUM } from './chain-endpoints.ts'
import { keyReferences, type NamedReference } from './keyring.ts'
import { parseLimits } from './parse-limits.ts'
import { priceFeedProblems } from './price-feed-problems.ts'
import { databaseUrlProblem, urlProblem } from './problem-texts.ts'
import { headerNameProblem, isNode, protocolsOf, urlReference } from './read-endpoint.ts'
import type { ChainsConfig, EndpointConfig, PartyConfig, ServiceConfig, SolverConfig } from './schema.ts'

type AnyConfig = ChainsConfig &
  Partial<Pick<PartyConfig, 'database_url' | 'limits'>> &
  Partial<Pick<ServiceConfig, 'policy' | 'solvers' | 'relay_key' | 'earnings'>> &
  Partial<Pick<SolverConfig, 'fixed_fee_usd' | 'private_key' | 'pricing' | 'risk'>>

export function nameProblems(config: AnyConfig, { chains, assets }: Environment): readonly string[] {
  const chainNames = chains.map((chain) => chain.id)
  const assetNames = assets.map((asset) => asset.id)
  const unknown = (place: string, name: string, names: readonly string[]) =>
    `${place}/${name} is not in the environment "${config.environment}"${didYouMean(name, names)}`
  const inSection = (section: string, entries: object | undefined, names: readonly string[]) =>
    Object.keys(entries ?? {})
      .filter((name) => !names.includes(name))
      .map((name) => unknown(`/${section}`, name, names))
  // The coin that pays for fees on a chain may have a price even if it is not an asset.
  const pricedNames = [...new Set([...assetNames, ...chains.map((chain) => chain.nativeAsset)])]
  const unknownAssets = [
    ...inSection('deployments', config.deployments, assetNames),
    ...inSection('prices', config.prices, pricedNames),
    ...inSection('price_feed/markets', config.price_feed?.markets, pricedNames),
    ...inSection('limits', config.limits, assetNames),
    ...inSection('confirmations', config.confirmations, assetNames),
    ...inSection('pricing/inventory_targets', config.pricing?.inventory_targets, assetNames),
    ...inSection('pricing/fee_reserves', config.pricing?.fee_reserves, assetNames),
    ...inSection('risk/unfinal_usd', config.risk?.unfinal_usd, chainNames),
  ]
  const ofChains = Object.entries(config.chains).flatMap(([name, settings]) => {
    const chain = chains.find((known) => known.id === name)
    return chain === undefined ? [unknown('/chains', name, chainNames)] : chainProblems(chain, settings)
  })
  return [
    ...ofChains,
    ...problemOf('/chains', () => assertNoDuplicates(chains.filter(({ id }) => id in config.chains))),
    ...unknownAssets,
    ...payoutProblems(config, assetNames),
    ...keyProblems(config, { chains, assets }),
    ...valueProblems(config, assets),
    ...priceFeedProblems(config),
    ...policyProblems(config, assetNames),
  ]
}

function payoutProblems({ environment, earnings }: AnyConfig, assetNames: readonly string[]): readonly string[] {
  const asset = earnings?.asset
  if (asset === undefined || assetNames.includes(asset)) return []
  return [`/earnings/asset: ${asset} is not in the environment "${environment}"${didYouMean(asset, assetNames)}`]
}

/** Reports what the families refuse. The names must be right. It loads the library of each family, so it takes seconds. */
export async function connectProblems({ chains }: AnyConfig, rows: Environment, added: Environment): Promise<readonly string[]> {
  const ofChains = rows.chains
    .filter(({ id }) => id in chains)
    .map(async (chain) => {
      const family = await loadFamily(chain.family)
      const settings = chains[chain.id] ?? {}
      const { endpoints, quorum } = chainEndpoints(chain, settings)
      // `connect` sends no request. It throws for a network that the family does not know, and for unusable endpoints.
      const examples = Object.entries(endpoints).map(([kind, urls]) => [kind, urls.map((_, i) => `http://${kind}-${i + 1}.example`)])
      const named = withFirstBlock(chain, settings.first_block_hash)
      const connect = () => family.connect(named, { assets: [], endpoints: Object.fromEntries(examples), quorum })
      const refused = problemOf(`/chains/${chain.id}`, connect)
      return refused.length > 0 ? refused : tokenProblems(connect(), added)
    })
  return (await Promise.all(ofChains)).flat()
}

/** A mistyped address is found by its checksum here, before a node is asked. */
function tokenProblems({ chain, text }: ChainClient, added: Environment): readonly string[] {
  if (addableFamily(chain.family)?.token?.isAccount !== true) return []
  return added.assets
    .filter((asset) => asset.chain === chain.id)
    .flatMap(({ id, tokenAddress }) =>
      tokenAddress === null ? [] : problemOf(`/registry/assets/${id}/token`, () => text.parseAddress(tokenAddress)),
    )
}

function chainProblems(chain: Chain, config: PartyConfig['chains'][string]): readonly string[] {
  const place = `/chains/${chain.id}`
  const { endpointKinds } = familyNamed(chain.family)
  const publicNodes = chain.publicRpcs?.length ?? 0
  if (config.endpoints === undefined && publicNodes < PUBLIC_QUORUM)
    return [
      `${place}/endpoints is missing: the registry lists ${publicNodes === 1 ? 'one public node' : `${publicNodes} public nodes`}, and a quorum of public nodes needs ${PUBLIC_QUORUM}: list nodes that you trust`,
    ]
  const { endpoints, quorum } = chainEndpoints(chain, config)
  const wrong = Object.keys(endpoints).filter((kind) => !endpointKinds.includes(kind))
  if (wrong.length > 0)
    return wrong.map(
      (kind) => `${place}/endpoints/${kind} is not an endpoint of the family "${chain.family}": expected ${endpointKinds.join(', ')}`,
    )
  const lists = Object.entries(endpoints)
  if (lists.length === 0) return [`${place}/endpoints needs a node: ${endpointKinds.join(' or ')}`]
  const isList = (kind: string) => Array.isArray(config.endpoints?.[kind])
  const placeOf = (kind: string, at: number) => `${place}/endpoints/${kind}${isList(kind) ? `/${at}` : ''}`
  const unusable = lists.flatMap(([kind, nodes]) => nodes.flatMap((node, at) => nodeProblems(placeOf(kind, at), kind, node)))
  if (unusable.length > 0) return unusable
  const repeated = lists.filter(([, urls]) => duplicates(urls.map((url) => JSON.stringify(urlReference(url)))).length > 0)
  if (repeated.length > 0)
    return repeated.map(([kind]) => `${place}/endpoints/${kind} lists the same node twice: it would count twice in the quorum`)
  const wrongBlock = problemOf(`${place}/first_block_hash`, () => withFirstBlock(chain, config.first_block_hash))
  if (wrongBlock.length > 0) return wrongBlock
  const count = lists.reduce((sum, [, urls]) => sum + urls.length, 0)
  return quorum > count ? [`${place}/quorum is ${quorum}, but only ${count === 1 ? 'one node is' : `${count} nodes are`} listed`] : []
}

function nodeProblems(place: string, kind: string, node: EndpointConfig): readonly string[] {
  const url = urlReference(node)
  const wrong = typeof url === 'string' ? urlProblem(url, protocolsOf(kind)) : null
  if (wrong !== null) return [`${place}${isNode(node) ? '/url' : ''} ${wrong}`]
  if (!isNode(node)) return []
  const names = Object.keys(node.headers ?? {}).flatMap((name) => {
    const problem = headerNameProblem(name)
    return problem === null ? [] : [`${place}/headers/${name} ${problem}`]
  })
  // Requests over a WebSocket are not throttled.
  const isApplicable = node.requests_per_second === undefined || kind !== 'ws'
  return isApplicable ? names : [...names, `${place}/requests_per_second works over HTTP only: remove it from the endpoint "ws"`]
}

function keyProblems(config: AnyConfig, rows: Environment): readonly string[] {
  const place = config.relay_key === undefined ? 'private_key' : 'relay_key'
  const references = config.relay_key ?? config.private_key
  if (references === undefined) return []
  const given = keyReferences(references, rows)
  const own = new Set(given.map(({ chain }) => chain))
  const missing = curves.flatMap((curve) => {
    const ofCurve = rows.chains.filter(({ id, family }) => id in config.chains && familyNamed(family).curve === curve)
    const needing = ofCurve.filter(({ id }) => !own.has(id)).map(({ id }) => id)
    if (needing.length === 0 || given.some(({ owner }) => owner === curve)) return []
    return [`/${place}/${curve} is missing: it signs on ${needing.join(', ')}`]
  })
  return [...missing, ...keyValueProblems(`/${place}`, given, config, rows)]
}

/** Keys of single chains exist to be apart, so none may be named twice, also where another curve uses it. */
function keyValueProblems(
  setting: string,
  given: readonly NamedReference[],
  { environment }: AnyConfig,
  { chains }: Environment,
): readonly string[] {
  const names = chains.map(({ id }) => id)
  const unknown = given
    .filter(({ chain, curve }) => chain !== null && curve === null)
    .map(({ place, owner }) => `${setting}${place} is not in the environment "${environment}"${didYouMean(owner, names)}`)
  const twice = given.flatMap(({ chain, place, reference, curve }, at) => {
    const other = given.slice(0, at).find((one) => JSON.stringify(one.reference) === JSON.stringify(reference))
    if (chain === null || other === undefined) return []
    const why = other.curve === curve ? 'leave it out, or name another key' : `it signs on another curve: ${chain} needs a key on ${curve}`
    return [`${setting}${place} names the same key as ${setting}${other.place}: ${why}`]
  })
  const invalid = given.flatMap(({ place, curve, reference }) =>
    curve === null || !('public_key' in reference)
      ? []
      : problemOf(`${setting}${place}/public_key`, () => parsePublicKey(curve, reference.public_key)),
  )
  return [...unknown, ...twice, ...invalid]
}

function valueProblems(config: AnyConfig, assets: Environment['assets']): readonly string[] {
  const limited = applyLimits(assets, parseLimits(config))
  const inverted = limited
    .filter(({ minAmount, maxAmount }) => minAmount > maxAmount)
    .map(({ id, minAmount, maxAmount }) => `/limits/${id} allows no amount: the minimum ${minAmount} is above the maximum ${maxAmount}`)
  const database = typeof config.database_url === 'string' ? databaseUrlProblem(config.database_url) : null
  return [
    ...(database === null ? [] : [`/database_url ${database}`]),
    ...Object.entries(config.prices).flatMap(([asset, price]) => problemOf(`/prices/${asset}`, () => parseUsdPrice(price))),
    ...inverted,
    ...problemOf('/fixed_fee_usd', () => config.fixed_fee_usd !== undefined && parseUsdMicros(config.fixed_fee_usd)),
    ...[...new Set(duplicates((config.solvers ?? []).map(({ id }) => id)))].map((id) => `/solvers lists the id "${id}" twice`),
  ]
}

function policyProblems({ policy, environment }: AnyConfig, assets: readonly `${string}:${string}`[]): readonly string[] {
  if (policy === undefined) return []
  const complete = { ...openPolicy, ...policy }
  const malformed = problemOf('/policy', () => parsePolicy(complete))
  if (malformed.length > 0) return malformed
  return parsePolicy(complete)
    .unmatched(assets)
    .map((pattern) => `/policy: "${pattern}" matches no asset of the environment "${environment}"${didYouMean(pattern, assets)}`)
}

const duplicates = (values: readonly string[]): readonly string[] => values.filter((value, index) => values.indexOf(value) !== index)

function problemOf(place: string, parse: () => unknown): readonly string[] {
  try {
    parse()
    return []
  } catch (error) {
    return [`${place}: ${error instanceof Error ? error.message : error}`]
  }
}
