/** Tests how timelocks become seconds, and which pairs of timelocks are safe. */
import { environments, localChains } from '@tandem/families/registry.ts'
import { describe, expect, it } from 'vitest'
import type { Chain, ChainClock, SafetyMargins } from './chain.ts'
import { requiredConfirmations } from './confirmations.ts'
import { assertTimelocksSafe, countsHeight, describeUnits, maxSeconds, minSeconds, timelockGapSeconds } from './timelock.ts'

const [anyChain] = localChains
if (anyChain === undefined) throw new Error('the local registry is empty')

const clock = (fastestMs: bigint, slowestMs: bigint, slackSeconds = 0n, unit: ChainClock['unit'] = 'blocks'): ChainClock => ({
  unit,
  expiry: 'relative',
  fastestMs,
  slowestMs,
  slackSeconds,
})

/** The margins are in the order of the table: claim, reorg, fee. */
function chainOf(id: string, ofClock: ChainClock, [source, destination]: [bigint, bigint], margins: [bigint, bigint, bigint]): Chain {
  const [claimSeconds, reorgSeconds, feeSpikeSeconds] = margins
  const safety: SafetyMargins = { claimSeconds, reorgSeconds, feeSpikeSeconds }
  return { ...(anyChain as Chain), id, clock: ofClock, timelocks: { source, destination }, margins: safety }
}

const pairsOf = (chains: readonly Chain[]) =>
  chains.flatMap((source) => chains.filter((destination) => destination !== source).map((destination) => ({ source, destination })))

describe('timelock units in seconds', () => {
  it('minSeconds rounds down', () => {
    expect(minSeconds(clock(1500n, 9999n), 1n)).toBe(1n)
    expect(minSeconds(clock(1500n, 9999n), 2n)).toBe(3n)
    expect(minSeconds(clock(1n, 1n), 999n)).toBe(0n)
  })

  it('maxSeconds rounds up and adds the slack', () => {
    expect(maxSeconds(clock(1n, 1500n), 1n)).toBe(2n)
    expect(maxSeconds(clock(1n, 1500n), 2n)).toBe(3n)
    expect(maxSeconds(clock(1n, 1n, 10n), 1n)).toBe(11n)
    expect(maxSeconds(clock(1n, 1500n, 10n), 0n)).toBe(10n)
  })
})

describe('timelockGapSeconds', () => {
  it('is the fastest source, less the slowest destination, less two actions there and one here', () => {
    const source = chainOf('s', clock(2_000n, 99_000n), [0n, 0n], [1n, 2n, 4n])
    const destination = chainOf('d', clock(1n, 30_000n, 8n), [0n, 0n], [10n, 20n, 40n])
    expect(timelockGapSeconds(source, 1000n, destination, 30n)).toBe(2000n - (900n + 8n) - 2n * 70n - 7n)
  })
})

describe('assertTimelocksSafe', () => {
  it('refuses a pair whose timelocks end together, and says how many seconds are missing', () => {
    const source = chainOf('s', clock(1000n, 1000n), [137n, 0n], [1n, 2n, 4n])
    const destination = chainOf('d', clock(1000n, 1000n), [0n, 60n], [5n, 10n, 20n])
    const shortBy = (units: bigint) => () => assertTimelocksSafe({ ...source, timelocks: { source: units, destination: 0n } }, destination)
    expect(shortBy(138n)).not.toThrow()
    expect(shortBy(137n)).toThrow(
      's cannot be swapped to d: the timelock of the source must outlast that of the destination with all margins, and is 1 seconds too short',
    )
    expect(shortBy(100n)).toThrow('38 seconds too short')
    expect(shortBy(100n)).toThrow(expect.objectContaining({ code: 'unsupported_pair' }))
  })

  it('refuses a local pair whose source timelock is that of a destination', () => {
    for (const { source, destination } of pairsOf(localChains)) {
      const short = { ...source, timelocks: { ...source.timelocks, source: source.timelocks.destination } }
      expect(() => assertTimelocksSafe(short, destination)).toThrow('cannot be swapped to')
    }
  })
})

describe('what a timelock counts', () => {
  it.each([
    ['blocks', true, 'after 1500 more blocks'],
    ['slots', true, 'after 1500 more slots'],
    ['seconds', false, 'in 1500 seconds'],
    ['milliseconds', false, 'in 2 seconds'],
  ] as const)('%s', (unit, height, words) => {
    expect(countsHeight(clock(1n, 1n, 0n, unit))).toBe(height)
    expect(describeUnits(clock(1n, 1n, 0n, unit), 1500n)).toBe(words)
  })
})

const chain = environments.mainnet.chains.find(({ id }) => id === 'bitcoin')
if (chain === undefined) throw new Error('bitcoin is missing')
const confirmationTiers = [
  { from: 0n, confirmations: 1 },
  { from: 10n, confirmations: 2 },
  { from: 100n, confirmations: 5 },
]

describe('the confirmations that an amount waits for', () => {
  it.each([
    { amount: 0n, source: 1, destination: 1 },
    { amount: 9n, source: 1, destination: 1 },
    { amount: 10n, source: 2, destination: 2 },
    { amount: 99n, source: 2, destination: 2 },
    { amount: 100n, source: 5, destination: 2 },
    { amount: 10n ** 18n, source: 5, destination: 2 },
  ])('$amount: $source before the solver pays, $destination before the secret is shown', ({ amount, source, destination }) => {
    expect(requiredConfirmations(chain, { confirmationTiers }, amount, 'source')).toBe(source)
    expect(requiredConfirmations(chain, { confirmationTiers }, amount, 'destination')).toBe(destination)
  })

  it('without tiers are those of the chain', () => {
    for (const leg of ['source', 'destination'] as const) expect(requiredConfirmations(chain, {}, 1n, leg)).toBe(2)
  })

  it('are at least one', () => {
    for (const leg of ['source', 'destination'] as const)
      expect(requiredConfirmations(chain, { confirmationTiers: [{ from: 0n, confirmations: 0 }] }, 1n, leg)).toBe(1)
  })
})
