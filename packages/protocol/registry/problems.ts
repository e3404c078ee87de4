/** Says what is wrong with a chain, an asset, or a pair of chains. The rows of the families and those that an operator adds must have no problem. */
import { divideRoundingUp } from '../amount.ts'
import type { Asset } from '../asset.ts'
import type { Chain, ChainClock } from '../chain.ts'
import { requiredConfirmations } from '../confirmations.ts'
import type { Leg } from '../order.ts'
import { assertTimelocksSafe, countsHeight, maxSeconds, minSeconds, timelockGapSeconds } from '../timelock.ts'

/** The store remembers the hashes of this many blocks. A reorg that we allow for must not reach below them. */
export const MAX_FINALITY_BLOCKS = 256

/** A text of this form is safe on a page, in a log and in a URL. */
const PLAIN_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9 .()+'-]{0,38}[A-Za-z0-9.)])?$/
const SYMBOL = /^[A-Za-z0-9](?:[A-Za-z0-9.]{0,14}[A-Za-z0-9])?$/
const ICON_TEXT = /^[A-Za-z0-9]{1,4}$/
const ICON_COLOR = /^#[0-9a-f]{6}$/

/** Money does not depend on these. */
function appearanceProblems({ displayName, icon, explorerUrl, explorerTxUrl }: Chain): readonly string[] {
  return [
    ...(PLAIN_NAME.test(displayName) ? [] : [`its name "${displayName}" is not plain text of up to 40 letters, digits and . ( ) + ' -`]),
    ...iconProblems(icon),
    ...(explorerUrl === '' ? [] : urlProblems('explorer', explorerUrl)),
    ...(explorerTxUrl === undefined || explorerTxUrl === '' ? [] : transactionUrlProblems(explorerTxUrl)),
  ]
}

function transactionUrlProblems(pattern: string): readonly string[] {
  const parts = pattern.split('{tx}')
  if (parts.length !== 2) return [`its explorer of transactions must have {tx} once, in the place of the hash, got "${pattern}"`]
  return urlProblems('explorer of transactions', parts.join('0'))
}

/** The browser goes there when a user clicks. */
function urlProblems(what: string, text: string): readonly string[] {
  const wrong = (why: string) => [`its ${what} must be an https URL ${why}, got "${text}"`]
  if (!/^https:\/\/[A-Za-z0-9]/.test(text) || !URL.canParse(text)) return wrong('that begins with https://')
  if (/[\s"'<>`{}|\\^]/.test(text)) return wrong('without spaces, quotes and brackets')
  const { username, password, hostname } = new URL(text)
  if (username !== '' || password !== '') return wrong('without a user name')
  return hostname.includes('.') ? [] : wrong('of a public host')
}

function iconProblems({ text, color }: Asset['icon']): readonly string[] {
  return [
    ...(ICON_TEXT.test(text) ? [] : [`the text of its icon must be 1 to 4 letters or digits, got "${text}"`]),
    ...(ICON_COLOR.test(color) ? [] : [`the colour of its icon must be # and 6 lower-case hex digits, got "${color}"`]),
  ]
}

/** `assets` are those of the chain. */
export function chainProblems(chain: Chain, assets: readonly Asset[]): readonly string[] {
  const { clock, blockMs, blockBoundsMs, finalityBlocks, haltSeconds, pollMs, margins, timelocks } = chain
  const required = chain.requiredConfirmations
  const fastest = blockBoundsMs?.fastest ?? clock.fastestMs
  const slowest = blockBoundsMs?.slowest ?? clock.slowestMs
  const isCounted = countsHeight(clock)
  return [
    ...appearanceProblems(chain),
    ...problem(required >= 1, `it must wait for a confirmation, got ${required}`),
    ...problem(finalityBlocks >= required, `blocks are final after ${finalityBlocks}, but deposits wait for ${required} confirmations`),
    ...problem(finalityBlocks <= MAX_FINALITY_BLOCKS, `blocks must be final after ${MAX_FINALITY_BLOCKS} or fewer, got ${finalityBlocks}`),
    ...problem(fastest > 0n && fastest <= slowest, `its fastest block of ${fastest} ms is slower than its slowest of ${slowest} ms`),
    ...problem(
      !isCounted && blockBoundsMs === undefined ? blockMs > 0n : blockMs >= fastest && blockMs <= slowest,
      `its average block of ${blockMs} ms is not between the fastest of ${fastest} ms and the slowest of ${slowest} ms`,
    ),
    ...problem(
      isCounted || blockBoundsMs === undefined || slowest <= haltSeconds * 1000n,
      `its slowest block of ${slowest} ms is slower than a halt, which is after ${haltSeconds} s`,
    ),
    ...problem(haltSeconds * 1000n > blockMs, `its average block of ${blockMs} ms is slower than a halt, which is after ${haltSeconds} s`),
    ...problem(BigInt(pollMs) <= blockMs * 10n, `it is polled every ${pollMs} ms, in which more than ten blocks pass`),
    ...problem(
      BigInt(required) * blockMs <= margins.claimSeconds * 1000n,
      `${required} confirmations take ${(BigInt(required) * blockMs) / 1000n} s on average, and its margin for them is ${margins.claimSeconds} s`,
    ),
    ...problem(
      timelocks.source > timelocks.destination && timelocks.destination > 0n,
      'its source timelock must be longer than its destination timelock',
    ),
    ...revealProblems(chain, assets),
  ]
}

/** A destination must leave time to show the secret after its confirmations, also if one block is slow. */
function revealProblems(chain: Chain, assets: readonly Asset[]): readonly string[] {
  const leastSlack = countsHeight(chain.clock) ? maxSeconds(chain.clock, 1n) : 1n
  return confirmationsOf(chain, assets, 'destination').flatMap((required) =>
    problem(
      revealSlackSeconds(chain, required) >= leastSlack,
      `as a destination it leaves no time to show the secret after ${required} confirmations: its destination timelock of ${chain.timelocks.destination} ${chain.clock.unit} is too short`,
    ),
  )
}

/** The seconds that are left to show the secret when the destination has just reached its confirmations. */
export function revealSlackSeconds(chain: Chain, required: number): bigint {
  const { claimSeconds, feeSpikeSeconds } = chain.margins
  return minSeconds(chain.clock, chain.timelocks.destination - unitsWaited(chain, required)) - claimSeconds - feeSpikeSeconds
}

function unitsWaited({ clock, blockMs }: Chain, confirmations: number): bigint {
  if (countsHeight(clock)) return BigInt(confirmations)
  const seconds = divideRoundingUp((BigInt(confirmations) - 1n) * blockMs, 1000n)
  return inUnit(clock, seconds)
}

const inUnit = (clock: ChainClock, seconds: bigint) => (clock.unit === 'milliseconds' ? seconds * 1000n : seconds)

/** `assets` are those of the source. The timelocks must be safe also after the source has its confirmations. Returns null if they are. */
export function pairProblem(source: Chain, destination: Chain, assets: readonly Asset[]): string | null {
  try {
    assertTimelocksSafe(source, destination)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  for (const required of confirmationsOf(source, assets, 'source')) {
    const waited = countsHeight(source.clock) ? BigInt(required) : (BigInt(required) * source.blockMs) / source.clock.fastestMs
    const gap = timelockGapSeconds(source, source.timelocks.source - waited, destination, destination.timelocks.destination)
    if (gap <= 0n)
      return `${source.id} cannot be swapped to ${destination.id}: after ${required} confirmations the timelock of the source is ${1n - gap} seconds too short`
  }
  return null
}

/** An asset of its chain. */
export function assetProblems(asset: Asset, chain: Chain): readonly string[] {
  const { minAmount, maxAmount, tokenSchema, tokenAddress, decimals, confirmationTiers = [] } = asset
  const expected = `${chain.id}:${asset.symbol.toLowerCase()}`
  return [
    ...problem(asset.id === expected, `its id must be its chain and its symbol: "${expected}"`),
    ...problem(PLAIN_NAME.test(asset.name), `its name "${asset.name}" is not plain text of up to 40 letters, digits and . ( ) + ' -`),
    ...problem(SYMBOL.test(asset.symbol), `its symbol "${asset.symbol}" is not 1 to 16 letters, digits and dots`),
    ...problem(Number.isInteger(decimals) && decimals >= 0, `its decimals must be a whole number, got ${decimals}`),
    ...iconProblems(asset.icon),
    ...problem(
      minAmount > 0n && minAmount < maxAmount,
      `its smallest swap of ${minAmount} must be above 0 and below its largest of ${maxAmount}`,
    ),
    ...problem(chain.htlcSchemas.includes(asset.htlcSchema), `${chain.id} has no HTLC for it`),
    ...problem(tokenSchema === null || chain.tokenSchemas.includes(tokenSchema), `${chain.id} has no such tokens`),
    ...problem(tokenSchema !== null || tokenAddress === null, 'a coin has no address'),
    ...problem(
      (tokenSchema === null) === (asset.id === chain.nativeAsset),
      `the coin of ${chain.id} is ${chain.nativeAsset}, and only it has no token`,
    ),
    ...problem(
      chain.deposits.kind === 'exact' || minAmount > chain.deposits.small.hopelessBelow,
      `its smallest swap of ${minAmount} is too small to be refunded`,
    ),
    ...problem(
      confirmationTiers.every(({ confirmations }) => confirmations >= 1 && confirmations <= chain.finalityBlocks),
      `it waits for more confirmations than the ${chain.finalityBlocks} after which blocks are final`,
    ),
  ]
}

type WithToken = Pick<Asset, 'id' | 'chain' | 'tokenAddress'>

/** Two names for one token: the same money would be counted, quoted and limited twice. The addresses are in their canonical form. */
export function tokensListedTwice(assets: readonly WithToken[]): readonly { readonly asset: WithToken; readonly other: WithToken }[] {
  return assets.flatMap((asset, at) =>
    assets
      .slice(0, at)
      .filter((other) => asset.tokenAddress !== null && other.chain === asset.chain && other.tokenAddress === asset.tokenAddress)
      .map((other) => ({ asset, other })),
  )
}

/** How many confirmations the amounts of these assets need. */
export function confirmationsOf(chain: Chain, assets: readonly Asset[], leg: Leg): readonly number[] {
  const ofAssets = assets.flatMap((asset) =>
    [asset.minAmount, asset.maxAmount, ...(asset.confirmationTiers ?? []).map(({ from }) => from)].map((amount) =>
      requiredConfirmations(chain, asset, amount, leg),
    ),
  )
  return [...new Set([chain.requiredConfirmations, ...ofAssets])]
}

const problem = (isRight: boolean, text: string): readonly string[] => (isRight ? [] : [text])
