/** Tests that an escrow of a user outlasts every payout of a solver, though it is as short as it can be: the solver always has time to collect. */
import { environments } from '@tandem/families/registry.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { actionSeconds, maxSeconds, minSeconds, timelockGapSeconds } from '@tandem/protocol/timelock.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escrowOf } from './htlc.ts'

const CREATED_AT = 1_800_000_000n
/** A solver that is down for so long still pays for what was deposited in time. That is more than it has from Solana, to the slowest chain. */
const DOWN_SECONDS = 10n * 3600n

const pairs = (['mainnet', 'testnet'] as const).flatMap((environment) => {
  const { chains } = environments[environment]
  return chains
    .filter(({ family }) => family === 'xrpl')
    .flatMap((source) => chains.filter((other) => other !== source).map((destination) => ({ source, destination })))
})

const deadlineOf = ({ fundingWindowSeconds }: Chain) => CREATED_AT + fundingWindowSeconds

function endOf(source: Chain): bigint {
  const parties = { initiator: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', redeemer: 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe' }
  const terms = { asset: source.nativeAsset, ...parties, amount: 1n, timelock: source.timelocks.source, secretHash: '00'.repeat(32) }
  return escrowOf(terms, deadlineOf(source)).cancelAfter
}

describe.each(pairs)('from $source.id to $destination.id', ({ source, destination }) => {
  const gapAt = (now: bigint) => timelockGapSeconds(source, endOf(source) - now, destination, destination.timelocks.destination)

  it('a solver that decides to pay collects, whenever it decides, however fast the chains are and as late as the secret appears', () => {
    const [slowest, own] = [actionSeconds(destination), actionSeconds(source)]
    const { destination: timelock } = destination.timelocks
    const takes = (limit: bigint) => fc.bigInt({ min: 0n, max: limit })
    const locked = fc.bigInt({ min: minSeconds(destination.clock, timelock), max: maxSeconds(destination.clock, timelock) })
    fc.assert(
      fc.property(
        fc.bigInt({ min: CREATED_AT, max: endOf(source) }),
        fc.tuple(takes(slowest), locked, takes(slowest), takes(own)),
        (decidedAt, [initiate, lasts, refund, collect]) => {
          fc.pre(gapAt(decidedAt) > 0n)
          expect(decidedAt + initiate + lasts + refund + collect).toBeLessThan(endOf(source))
        },
      ),
      { examples: [[endOf(source) - longest(), [slowest, maxSeconds(destination.clock, timelock), slowest, own]]] },
    )

    /** One second more than a decision may be late by. */
    function longest(): bigint {
      return maxSeconds(destination.clock, timelock) + 2n * slowest + own + 1n
    }
  })

  it('a solver that was down pays for what came in the last second of the funding window', () => {
    expect(gapAt(deadlineOf(source) + DOWN_SECONDS)).toBeGreaterThan(0n)
  })
})

it('whoever pays at once and is declined waits for less than a day', () => {
  for (const { source } of pairs) expect(endOf(source) - CREATED_AT).toBeLessThan(24n * 3600n)
})
