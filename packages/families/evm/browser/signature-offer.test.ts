/** Tests that the SDK signs an offer only if everything in it follows from the terms, except what the token alone decides. */

import type { SourceSide } from '@tandem/chain-kit/browser/family.ts'
import { VerificationError } from '@tandem/chain-kit/browser/verification-error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { describe, expect, it } from 'vitest'
import { type HtlcContract, initiateTypedData } from '../terms/htlc.ts'
import { authorizationData, authorizationOf, permit2Data, permitData, permitOf, type SignatureWay } from '../terms/one-signature.ts'
import { type EvmPlan, family } from './index.ts'
import { offerOf } from './signature-offer.ts'
import type { EvmWallet } from './wallet.ts'

const account = (digit: string) => `0x${digit.repeat(40)}` as const
const token = account('2')
const contract = { chainId: 31337, address: account('1'), token } satisfies HtlcContract
const terms: HtlcTerms = {
  asset: 'ethereum_localnet:usdc',
  initiator: account('3'),
  redeemer: account('4'),
  timelock: 600n,
  amount: 1_000n,
  secretHash: 'ab'.repeat(32),
}
const deadline = 1_800_000_000n
const side = { terms, deadline } as SourceSide
const domain = { name: 'USD Coin', version: '2' }
const permit = permitData(contract.chainId, token, domain, permitOf(contract, terms, 7n, deadline))

const offers = {
  authorization: [authorizationData(contract.chainId, token, domain, authorizationOf(contract, terms, deadline))],
  permit: [permit, initiateTypedData(contract, terms)],
  permit2: [permit2Data(contract, token, terms, deadline)],
} as const satisfies Record<SignatureWay, readonly object[]>

const shownAs = (offer: string, typedData: readonly unknown[]) => ({
  offer,
  typed_data: structuredClone(typedData) as Record<string, unknown>[],
})

/** These are the token's own. A signature with wrong ones is good for nothing. */
const tokens: Readonly<Record<SignatureWay, readonly string[]>> = {
  authorization: ['0.domain.name', '0.domain.version'],
  permit: ['0.domain.name', '0.domain.version', '0.message.nonce'],
  permit2: [],
}

function leaves(tree: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof tree !== 'object' || tree === null) return [path]
  return Object.entries(tree).flatMap(([name, value]) => leaves(value, [...path, name]))
}

function withLeaf(tree: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  const copy = structuredClone(tree) as Record<string, unknown>
  copy[name] = rest.length === 0 ? value : withLeaf(copy[name], rest, value)
  return copy
}

it('a token may have its chain in the salt of its domain, which is computed here too', () => {
  const salted = { ...domain, chainIsSalt: true } as const
  const data = {
    authorization: authorizationData(contract.chainId, token, salted, authorizationOf(contract, terms, deadline)),
    permit: permitData(contract.chainId, token, salted, permitOf(contract, terms, 7n, deadline)),
  }
  expect(data.permit.domain).toEqual({ ...domain, verifyingContract: token, salt: `0x${'7a69'.padStart(64, '0')}` })
  for (const [way, first] of Object.entries(data)) {
    const shown = way === 'permit' ? [first, initiateTypedData(contract, terms)] : [first]
    expect(offerOf(side, contract, [shownAs(way, shown)])?.typedData).toEqual(shown)
    for (const salt of [`0x${'1'.padStart(64, '0')}`, '0x7a69', null, ''])
      expect(() => offerOf(side, contract, [shownAs(way, [{ ...first, domain: { ...first.domain, salt } }, ...shown.slice(1)])])).toThrow(
        VerificationError,
      )
    const both = { ...first, domain: { ...first.domain, chainId: '31337' } }
    expect(() => offerOf(side, contract, [shownAs(way, [both, ...shown.slice(1)])])).toThrow(VerificationError)
  }
})

describe.each(Object.keys(offers) as SignatureWay[])('the offer %s', (way) => {
  it('is what we compute', () => {
    expect(offerOf(side, contract, [shownAs(way, offers[way])])).toEqual({ offer: way, typedData: offers[way] })
  })

  it('is refused if any part of it differs, except for what is the token’s own', () => {
    const paths = leaves(offers[way])
    expect(paths.length).toBeGreaterThan(15)
    const uncaught = paths.filter((path) => {
      try {
        offerOf(side, contract, [shownAs(way, withLeaf(offers[way], path, '9') as unknown[])])
        return true
      } catch (error) {
        if (error instanceof VerificationError) return false
        throw error
      }
    })
    expect(uncaught.map((path) => path.join('.'))).toEqual(tokens[way])
  })

  it('is refused with more, with less, and with another deadline', () => {
    const [first] = offers[way]
    for (const typedData of [[], [...offers[way], first]])
      expect(() => offerOf(side, contract, [shownAs(way, typedData)])).toThrow(VerificationError)
    expect(() => offerOf({ ...side, deadline: deadline - 1n }, contract, [shownAs(way, offers[way])])).toThrow(VerificationError)
  })

  it('is signed in its order, and nothing is sent or approved', async () => {
    const asked: unknown[] = []
    const wallet = {
      async signTypedData(chainId: number, from: string, data: unknown) {
        asked.push([chainId, from, data])
        return `0x0${asked.length}`
      },
    } as unknown as EvmWallet
    const from = terms.initiator
    const plan: EvmPlan = {
      chainId: 31337,
      approvals: [{ from, to: token, data: '0x', value: 0n }],
      initiate: { from, to: contract.address, data: '0x', value: 0n },
      typedData: initiateTypedData(contract, terms),
      offer: { offer: way, typedData: offers[way] },
    }
    const signature = way === 'permit' ? '0x01,0x02' : '0x01'
    expect(await family.fund(plan, wallet, { gasless: true })).toEqual({ kind: 'signed', offer: way, signature })
    expect(asked).toEqual(offers[way].map((data) => [31337, from, data]))
  })
})

it.each([
  ['a nonce that is no number', withLeaf(offers.permit, ['0', 'message', 'nonce'], '0x7')],
  ['a nonce beyond 256 bits', withLeaf(offers.permit, ['0', 'message', 'nonce'], (2n ** 256n).toString())],
  ['a nonce that is no text', withLeaf(offers.permit, ['0', 'message', 'nonce'], { toString: 5 })],
  ['typed data of another shape', { 0: offers.permit[0] }],
  ['typed data that is null', null],
  ['a name that is no text', withLeaf(offers.permit, ['0', 'domain', 'name'], 5)],
  ['a version without end', withLeaf(offers.permit, ['0', 'domain', 'version'], '1'.repeat(101))],
])('%s is refused', (_, typedData) => {
  expect(() => offerOf(side, contract, [shownAs('permit', typedData as unknown[])])).toThrow(VerificationError)
})

it('offers of another shape are refused, or passed over, by what they are', () => {
  for (const shown of [null, {}, 5, 'permit2', { length: 1, 0: shownAs('permit2', offers.permit2) }])
    expect(() => offerOf(side, contract, shown as never)).toThrow(VerificationError)
  for (const one of [null, undefined, 5, 'permit2', [], {}]) {
    const known = shownAs('permit2', offers.permit2)
    expect(offerOf(side, contract, [one, known] as never)?.offer).toBe('permit2')
  }
})

it('an offer that we do not know is passed over, and one for a native coin is refused', () => {
  const [unknown, known] = [shownAs('voodoo', []), shownAs('permit2', offers.permit2)]
  expect(offerOf(side, contract, [unknown])).toBeNull()
  expect(offerOf(side, contract, [unknown, known])?.offer).toBe('permit2')
  expect(offerOf(side, contract)).toBeNull()
  expect(() => offerOf(side, { ...contract, token: null }, [known])).toThrow(VerificationError)
})
