/** Tests when a redeem gives gas. Each family tests who gets it. */
import { describe, expect, it } from 'vitest'
import { ChainFailure } from '../port/failure.ts'
import { assertGivesAnotherCoin, redeemGiving, ShortOfCoin } from './payout-gas.ts'

/** It fails in turn by these, and then succeeds. */
function redeemFailing(...failures: readonly Error[]) {
  const asked: (bigint | undefined)[] = []
  const redeem = async (gas?: bigint) => {
    asked.push(gas)
    const failure = failures[asked.length - 1]
    if (failure !== undefined) throw failure
    return 'tx'
  }
  return { asked, redeem }
}

describe('gas with a payout', () => {
  it('is given by a redeem', async () => {
    const { asked, redeem } = redeemFailing()
    expect(await redeemGiving(5n, redeem)).toBe('tx')
    expect(asked).toEqual([5n])
  })

  it('is left out by a sender that is short of coin', async () => {
    const { asked, redeem } = redeemFailing(new ShortOfCoin('it holds 3, and needs 5'))
    expect(await redeemGiving(5n, redeem)).toBe('tx')
    expect(asked).toEqual([5n, undefined])
  })

  it('is left out once: a sender that is short without it fails', async () => {
    const { asked, redeem } = redeemFailing(new ShortOfCoin('with'), new ShortOfCoin('without'))
    await expect(redeemGiving(5n, redeem)).rejects.toMatchObject({ kind: 'would-fail', message: 'without' })
    expect(asked).toEqual([5n, undefined])
  })

  it.each(['would-fail', 'unreachable', 'superseded', 'uneconomic'] as const)('is not left out after another failure: %s', async (kind) => {
    const { asked, redeem } = redeemFailing(new ChainFailure(kind, 'another'))
    await expect(redeemGiving(5n, redeem)).rejects.toMatchObject({ kind, message: 'another' })
    expect(asked).toEqual([5n])
  })

  it('is refused with a payout of the coin itself', () => {
    const chain = { nativeAsset: 'chain:coin' } as const
    expect(() => assertGivesAnotherCoin(chain, { asset: 'chain:token' })).not.toThrow()
    expect(() => assertGivesAnotherCoin(chain, { asset: 'chain:coin' })).toThrow(
      expect.objectContaining({ kind: 'would-fail', message: expect.stringMatching(/a payout of chain:coin.*gives no gas/) }),
    )
  })
})
