/** Tests that the SDK signs an outside execution only if everything in it follows from the terms, except the account that may relay it. */

import type { SourceSide } from '@tandem/chain-kit/browser/family.ts'
import { VerificationError } from '@tandem/chain-kit/browser/verification-error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { describe, expect, it } from 'vitest'
import { shortString } from '../contract/client/felt.ts'
import { addressOfFelt } from '../terms/address.ts'
import { approvalCallOf, type HtlcContract } from '../terms/htlc.ts'
import { type OutsideWay, outsideExecutionOf, outsideTypedData, outsideWays } from '../terms/outside-execution.ts'
import { family, type StarknetPlan } from './index.ts'
import { offerOf } from './signature-offer.ts'
import type { StarknetWallet } from './wallet.ts'

const account = (digit: string) => addressOfFelt(`0x${digit.repeat(62)}`)
const contract: HtlcContract = { chainId: shortString('SN_SEPOLIA'), address: `0x${'1'.repeat(62)}`, token: `0x${'2'.repeat(62)}` }
const terms: HtlcTerms = {
  asset: 'starknet_sepolia:wbtc',
  initiator: account('3'),
  redeemer: account('4'),
  timelock: 600n,
  amount: 1_000n,
  secretHash: 'ab'.repeat(32),
}
const deadline = 1_800_000_000n
const side = { terms, deadline } as SourceSide
const execution = outsideExecutionOf(contract, terms, account('5'), deadline)
const callers = { 'outside-execution-v2': 'message.Caller', 'outside-execution-v1': 'message.caller' } as const

const dataOf = (way: OutsideWay, over: Partial<typeof execution> = {}) =>
  JSON.parse(JSON.stringify(outsideTypedData(way, contract.chainId, { ...execution, ...over }))) as Record<string, unknown>
const shownAs = (offer: string, ...typedData: readonly unknown[]) => ({ offer, typed_data: typedData as Record<string, unknown>[] })

function leaves(tree: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof tree !== 'object' || tree === null) return [path]
  return Object.entries(tree).flatMap(([name, value]) => leaves(value, [...path, name]))
}

function withLeaf(tree: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  const copy = structuredClone(tree) as Record<string, unknown>
  copy[name] = rest.length === 0 ? value : withLeaf(copy[name], rest, value)
  return copy
}

const isCaught = (shown: Parameters<typeof offerOf>[2]): boolean => {
  try {
    offerOf(side, contract, shown)
    return false
  } catch (error) {
    if (error instanceof VerificationError) return true
    throw error
  }
}

describe.each(outsideWays)('the offer %s', (way) => {
  it('is what we compute', () => {
    expect(offerOf(side, contract, [shownAs(way, dataOf(way))])).toEqual({ offer: way, typedData: dataOf(way) })
  })

  it('is refused if any part of it differs, except for the account that may relay it', () => {
    const paths = leaves(dataOf(way))
    expect(paths.length).toBeGreaterThan(30)
    const uncaught = paths.filter((path) => !isCaught([shownAs(way, withLeaf(dataOf(way), path, '0x9'))]))
    expect(uncaught.map((path) => path.join('.'))).toEqual([callers[way]])
  })

  it('is refused with more calls, with more to sign, with less, and of another deadline', () => {
    const [approve, initiate] = execution.calls
    const calls = [approve, initiate, approvalCallOf(contract, 1n)] as unknown as typeof execution.calls
    for (const typedData of [[], [dataOf(way), dataOf(way)], [dataOf(way, { calls })], [dataOf(way, { executeBefore: deadline + 1n })]])
      expect(isCaught([shownAs(way, ...typedData)])).toBe(true)
  })

  it.each([0, null, '', '0x0', '0', 'ANY_CALLER', `0x1${'0'.repeat(63)}`, {}, undefined])('is refused with the caller %s', (caller) => {
    expect(isCaught([shownAs(way, withLeaf(dataOf(way), callers[way].split('.'), caller))])).toBe(true)
  })

  it('is signed by a wallet, and is given back with its name', async () => {
    const [typedData] = [outsideTypedData(way, contract.chainId, execution)]
    const plan: StarknetPlan = {
      chainId: contract.chainId,
      payer: account('3'),
      calls: [],
      typedData: null,
      offer: { offer: way, typedData },
    }
    const wallet = {
      signTypedData: async (_chain: string, from: string, signed: unknown) =>
        from === account('3') && signed === typedData ? ['0x7', '0x8'] : [],
      execute: async () => '0xsent',
    } as unknown as StarknetWallet
    expect(await family.fund(plan, wallet, { gasless: true })).toEqual({ kind: 'signed', offer: way, signature: ['0x7', '0x8'] })
    expect(await family.fund(plan, wallet, { gasless: false })).toEqual({ kind: 'sent', tx: '0xsent' })
  })
})

it('offers of other names are passed over, and what is no list is refused', () => {
  const [v2] = outsideWays
  expect(offerOf(side, contract, [shownAs('constructor'), null as never, shownAs(v2, dataOf(v2))])?.offer).toBe(v2)
  expect(offerOf(side, contract, undefined)).toBeNull()
  expect(isCaught({} as never)).toBe(true)
  expect(isCaught([{ offer: v2, typed_data: 'text' } as never])).toBe(true)
})
