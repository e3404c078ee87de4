/** Adds an operator's chains and assets to those of the families. Every refusal names its place in the additions. */
import { type Asset, type AssetId, parseAssetId } from '../asset.ts'
import type { Chain } from '../chain.ts'
import type { Icon } from '../icon.ts'
import { didYouMean } from '../nearest-name.ts'
import type { AddableFamily, AddedAsset, AddedChain, ChainKind, RegistryAdditions, WrittenIcon } from './addable.ts'
import { assetIcons } from './asset-icons.ts'
import type { Environment, EnvironmentName } from './environment.ts'
import type { Currency } from './listing.ts'
import { assetProblems, chainProblems } from './problems.ts'

export type Added = {
  readonly rows: Environment
  /** Only what the operator added. */
  readonly added: Environment
  readonly problems: readonly string[]
}

type Input = {
  readonly name: EnvironmentName
  /** Those of all environments: a name means the same everywhere. */
  readonly known: Readonly<Record<EnvironmentName, Environment>>
  readonly families: Readonly<Record<string, AddableFamily | null>>
}

const CHAIN_ID = /^[a-z][a-z0-9_]{1,39}$/
/** The size of a UTF-8 number in a 256-bit word. */
const MAX_AMOUNT_DIGITS = 78

export function addRows(input: Input, { chains = {}, assets = {} }: RegistryAdditions): Added {
  const { name, known, families } = input
  const own = known[name]
  const all = Object.values(known)
  const made = collect(Object.entries(chains), '/registry/chains', ([id, written]) => {
    if (!CHAIN_ID.test(id)) throw new Error('a chain needs a name of 2 to 40 lower-case letters, digits and _, beginning with a letter')
    if (all.some((rows) => rows.chains.some((chain) => chain.id === id)))
      throw new Error('the registry has a chain of this name already: choose another name, or use that chain')
    const twin = all.flatMap((rows) => rows.chains).find(({ reference }) => reference === written.reference)
    if (twin !== undefined) throw new Error(`/reference: the registry has this chain already, as "${twin.id}": add assets to that one`)
    return chainOf(id, written, name, families)
  })
  const withChains = [...own.chains, ...made.rows]
  const listed = collect(Object.entries(assets), '/registry/assets', ([id, written]) => {
    if (all.some((rows) => rows.assets.some((asset) => asset.id === id)))
      throw new Error('the registry has this asset already: remove it here, and name its contracts in /deployments')
    return assetOf(id, written, withChains, families)
  })
  const withAssets = [...own.assets, ...listed.rows]
  const rows = { chains: withChains, assets: withAssets }
  return {
    rows,
    added: { chains: made.rows, assets: listed.rows },
    problems: [...made.problems, ...listed.problems, ...inconsistencies(rows, made.rows, listed.rows)],
  }
}

function inconsistencies({ chains, assets }: Environment, addedChains: readonly Chain[], addedAssets: readonly Asset[]): readonly string[] {
  const ofChains = addedChains.flatMap((chain) => {
    const place = `/registry/chains/${chain.id}`
    const ofChain = assets.filter((asset) => asset.chain === chain.id)
    return [...chainProblems(chain, ofChain), ...(ofChain.length === 0 ? ['no asset is on it: add one to /registry/assets'] : [])].map(
      (what) => `${place}: ${what}`,
    )
  })
  const ofAssets = addedAssets.flatMap((asset) => {
    const chain = chains.find(({ id }) => id === asset.chain)
    return chain === undefined ? [] : assetProblems(asset, chain).map((what) => `/registry/assets/${asset.id}: ${what}`)
  })
  const symbols = addedAssets.flatMap((asset) => {
    const other = assets.find(
      ({ id, symbol, icon }) => id !== asset.id && symbol.toLowerCase() === asset.symbol.toLowerCase() && !isSame(icon, asset.icon),
    )
    return other === undefined
      ? []
      : [`/registry/assets/${asset.id}/icon: ${other.id} has the same symbol and another icon, and one coin has one icon`]
  })
  return [...ofChains, ...ofAssets, ...symbols]
}

const isSame = (a: Icon, b: Icon) => a.text === b.text && a.color === b.color

function chainOf(id: string, written: AddedChain, environment: EnvironmentName, families: Input['families']): Chain {
  const family = entryOf(families, written.family)
  if (family === undefined)
    throw new Error(`/family: there is no family "${written.family}"${didYouMean(written.family, Object.keys(families))}`)
  const kinds = family?.kinds[environment] ?? {}
  if (family === null || Object.keys(kinds).length === 0)
    throw new Error(
      `/family: chains of the family "${written.family}" cannot be added in the environment "${environment}": only its assets, if it has tokens`,
    )
  const kind = entryOf(kinds, written.kind)
  if (kind === undefined) throw new Error(`/kind: expected ${namesOf(kinds)}, got "${written.kind}"`)
  const { pattern, example } = family.reference
  if (!pattern.test(written.reference)) throw new Error(`/reference: expected the form ${example}, got "${written.reference}"`)
  const details = at('/details', () => family.familyData(kind, written.details ?? {}))
  const { familyData: _ofKind, ...shared } = kind
  const tag = written.finality_tag === 'none' ? undefined : (written.finality_tag ?? kind.finalityTag)
  const { finalityTag: _tag, ...others } = shared
  return {
    ...others,
    ...(details !== undefined && { familyData: details }),
    ...(tag !== undefined && { finalityTag: tag }),
    ...pace(kind, written),
    id,
    reference: written.reference,
    displayName: written.name,
    icon: iconOf(written.icon),
    nativeAsset: parseAssetId(`${id}:${written.coin}`),
    explorerUrl: written.explorer_url ?? '',
    ...(written.explorer_tx_url !== undefined && { explorerTxUrl: written.explorer_tx_url }),
    requiredConfirmations: needed('confirmations', written.confirmations ?? kind.requiredConfirmations, written.kind),
    finalityBlocks: written.final_blocks ?? kind.finalityBlocks,
    ...(written.unfinal_usd !== undefined && { unfinalUsd: wholeNumber('/unfinal_usd', written.unfinal_usd) }),
    ...(written.timelocks !== undefined && {
      timelocks: {
        source: wholeNumber('/timelocks/source', written.timelocks.source),
        destination: wholeNumber('/timelocks/destination', written.timelocks.destination),
      },
    }),
  }
}

/** A chain whose timelocks count blocks has the bounds of its kind: the safety of its timelocks depends on them. */
function pace(kind: ChainKind, { block_ms: block, fastest_block_ms: fastest, slowest_block_ms: slowest, kind: name }: AddedChain) {
  const blockMs = needed('block_ms', block === undefined ? kind.blockMs : BigInt(block), name)
  if (fastest === undefined && slowest === undefined) return { blockMs }
  if (kind.blockBoundsMs === undefined) throw new Error(`/fastest_block_ms, /slowest_block_ms: the kind "${name}" fixes them: remove them`)
  return {
    blockMs,
    blockBoundsMs: {
      fastest: fastest === undefined ? kind.blockBoundsMs.fastest : BigInt(fastest),
      slowest: slowest === undefined ? kind.blockBoundsMs.slowest : BigInt(slowest),
    },
  }
}

function assetOf(id: string, written: AddedAsset, chains: readonly Chain[], families: Input['families']): Asset {
  const chainId = parseAssetId(id).split(':')[0]
  if (id !== id.toLowerCase()) throw new Error('an asset has a name in lower case: <chain>:<symbol>')
  const chain = chains.find((one) => one.id === chainId)
  if (chain === undefined)
    throw new Error(
      `there is no chain "${chainId}"${didYouMean(
        chainId ?? '',
        chains.map((one) => one.id),
      )}`,
    )
  const family = families[chain.family] ?? null
  const currency: Currency = {
    name: written.name,
    symbol: written.symbol,
    decimals: written.decimals,
    icon: written.icon === undefined ? knownIcon(written.symbol) : iconOf(written.icon),
    limits: [amount('/min', written.min), amount('/max', written.max)],
  }
  const market = written.market ?? written.symbol.toUpperCase()
  if (!/^[A-Z0-9.]{1,16}$/.test(market)) throw new Error(`/market: expected the name of a market in capital letters, got "${market}"`)
  const asset = made(id as AssetId, chain, family, currency, written)
  if (asset.id !== id) throw new Error(`an asset has the name of its chain and its symbol: "${asset.id}"`)
  return { ...asset, market }
}

function made(
  id: AssetId,
  chain: Chain,
  family: AddableFamily | null,
  currency: Currency,
  { token: address, decimals }: AddedAsset,
): Asset {
  if (address === null) {
    if (family?.coin == null) throw new Error(`/token: the coin of ${chain.id} cannot be swapped: name the address of a token`)
    if (decimals !== family.coin.decimals)
      throw new Error(`/decimals: the coin of ${chain.id} has ${family.coin.decimals}, got ${decimals}`)
    if (id !== chain.nativeAsset) throw new Error(`/token: the coin of ${chain.id} is ${chain.nativeAsset}: name the address of a token`)
    return family.coin.asset(chain, currency)
  }
  if (family?.token == null) throw new Error(`/token: there are no tokens on ${chain.id}`)
  const { pattern, form, maxDecimals } = family.token
  if (!pattern.test(address)) throw new Error(`/token: expected ${form}, got "${address}"`)
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > maxDecimals)
    throw new Error(`/decimals: expected a whole number from 0 to ${maxDecimals}, got ${decimals}`)
  return family.token.asset(chain, currency, address)
}

function knownIcon(symbol: string): Icon {
  const icon = new Map<string, Icon>(Object.entries(assetIcons)).get(symbol.toLowerCase())
  if (icon === undefined) throw new Error(`/icon is missing: the registry has no icon of ${symbol}`)
  return icon
}

/** Its text and colour are checked with the row. */
function iconOf({ text, color }: WrittenIcon): Icon {
  if (!color.startsWith('#')) throw new Error(`/icon/color: expected # and 6 lower-case hex digits, got "${color}"`)
  return { text, color: `#${color.slice(1)}` }
}

function amount(place: string, text: string): bigint {
  if (text.length > MAX_AMOUNT_DIGITS) throw new Error(`${place}: it has more than ${MAX_AMOUNT_DIGITS} digits`)
  return wholeNumber(place, text)
}

function wholeNumber(place: string, text: string): bigint {
  if (!/^(0|[1-9][0-9]*)$/.test(text)) throw new Error(`${place}: expected a whole number in quotes`)
  return BigInt(text)
}

function needed<T>(setting: string, value: T | undefined, kind: string): T {
  if (value === undefined) throw new Error(`/${setting} is missing: the kind "${kind}" does not say it`)
  return value
}

/** Every object has names such as `constructor` that nobody has written. */
function entryOf<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined
}

const namesOf = (kinds: object) =>
  Object.keys(kinds)
    .map((name) => `"${name}"`)
    .join(' or ')

function at<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new Error(`${place}: ${error instanceof Error ? error.message : error}`)
  }
}

/** A row that is refused is left out, so that further problems are those of the others. */
function collect<W, T>(written: readonly (readonly [string, W])[], place: string, make: (one: readonly [string, W]) => T) {
  const rows: T[] = []
  const problems: string[] = []
  for (const one of written) {
    try {
      rows.push(make(one))
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      problems.push(`${place}/${one[0]}${text.startsWith('/') ? '' : ': '}${text}`)
    }
  }
  return { rows, problems }
}
