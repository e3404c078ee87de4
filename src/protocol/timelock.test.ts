import { describe, expect, it } from 'vitest'
import type { Chain, ChainClock, SafetyMargins } from './chain.ts'
import { localChains } from './registry/local.ts'
import { assertTimelocksSafe, leastSeconds, mostSeconds, timelockGapSeconds } from './timelock.ts'

const [anyChain] = localChains
if (anyChain === undefined) throw new Error('the local registry is empty')

const clock = (fastestMs: bigint, slowestMs: bigint, slackSeconds = 0n, unit: ChainClock['unit'] = 'blocks'): ChainClock => ({
  unit,
  fastestMs,
  slowestMs,
  slackSeconds,
})

/** Margins in the order of the table: claim, reorg, fee. */
function chainOf(id: string, ofClock: ChainClock, [source, destination]: [bigint, bigint], margins: [bigint, bigint, bigint]): Chain {
  const [claimSeconds, reorgSeconds, feeSpikeSeconds] = margins
  const safety: SafetyMargins = { claimSeconds, reorgSeconds, feeSpikeSeconds }
  return { ...(anyChain as Chain), id, clock: ofClock, timelocks: { source, destination }, margins: safety }
}

/** Public networks: block times of 600 s and 150 s at 0.66 to 2.5 times their mean, slots of 0.4 s at 0.9 to 1.5 times, the rest by wall clock. */
const publicChains: readonly Chain[] = [
  chainOf('bitcoin', clock(396_000n, 1_500_000n), [144n, 12n], [3600n, 3600n, 3600n]),
  chainOf('litecoin', clock(99_000n, 375_000n), [576n, 48n], [3600n, 3600n, 3600n]),
  chainOf('evm', clock(1000n, 1000n, 900n, 'seconds'), [86_400n, 7200n], [600n, 900n, 900n]),
  chainOf('solana', clock(360n, 600n), [216_000n, 18_000n], [300n, 60n, 300n]),
  chainOf('sui', clock(1n, 1n, 300n, 'seconds'), [86_400_000n, 7_200_000n], [300n, 0n, 300n]),
  chainOf('xrpl', clock(1000n, 1000n, 300n, 'seconds'), [90_000n, 7200n], [300n, 0n, 300n]),
]

const pairsOf = (chains: readonly Chain[]) =>
  chains.flatMap((source) => chains.filter((destination) => destination !== source).map((destination) => ({ source, destination })))
const named = ({ source, destination }: { source: Chain; destination: Chain }) => ({
  name: `${source.id} → ${destination.id}`,
  source,
  destination,
})

describe('time in a clock of units', () => {
  it('rounds down what is certainly left', () => {
    expect(leastSeconds(clock(1500n, 9999n), 1n)).toBe(1n)
    expect(leastSeconds(clock(1500n, 9999n), 2n)).toBe(3n)
    expect(leastSeconds(clock(1n, 1n), 999n)).toBe(0n)
  })

  it('rounds up what has certainly passed, and adds the slack', () => {
    expect(mostSeconds(clock(1n, 1500n), 1n)).toBe(2n)
    expect(mostSeconds(clock(1n, 1500n), 2n)).toBe(3n)
    expect(mostSeconds(clock(1n, 1n, 10n), 1n)).toBe(11n)
    expect(mostSeconds(clock(1n, 1500n, 10n), 0n)).toBe(10n)
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
  it.each(pairsOf(localChains).map(named))('accepts the local pair $name', ({ source, destination }) => {
    expect(() => assertTimelocksSafe(source, destination)).not.toThrow()
  })

  it.each(pairsOf(publicChains).map(named))('accepts the public pair $name', ({ source, destination }) => {
    expect(() => assertTimelocksSafe(source, destination)).not.toThrow()
  })

  it('refuses a pair that ends together, and says by how much it is short', () => {
    const source = chainOf('s', clock(1000n, 1000n), [137n, 0n], [1n, 2n, 4n])
    const destination = chainOf('d', clock(1000n, 1000n), [0n, 60n], [5n, 10n, 20n])
    const shortBy = (units: bigint) => () => assertTimelocksSafe({ ...source, timelocks: { source: units, destination: 0n } }, destination)
    expect(shortBy(138n)).not.toThrow()
    expect(shortBy(137n)).toThrow('timelocks of s → d are not safe: short by 1 seconds')
    expect(shortBy(100n)).toThrow('short by 38 seconds')
    expect(shortBy(100n)).toThrow(expect.objectContaining({ code: 'unsupported_pair' }))
  })

  it('refuses a local pair whose source timelock is that of a destination', () => {
    for (const { source, destination } of pairsOf(localChains)) {
      const short = { ...source, timelocks: { ...source.timelocks, source: source.timelocks.destination } }
      expect(() => assertTimelocksSafe(short, destination)).toThrow('not safe')
    }
  })
})

describe('a destination timelock', () => {
  it.each(localChains.map((chain) => ({ name: chain.id, chain })))(
    'leaves time to redeem after the required confirmations on $name',
    ({ chain }) => {
      const left =
        chain.clock.unit === 'blocks' ? chain.timelocks.destination - BigInt(chain.requiredConfirmations) : chain.timelocks.destination
      const { claimSeconds, reorgSeconds, feeSpikeSeconds } = chain.margins
      expect(leastSeconds(chain.clock, left)).toBeGreaterThan(claimSeconds + reorgSeconds + feeSpikeSeconds)
    },
  )
})
