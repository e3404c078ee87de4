/** Tests that a header counts only with its proof of work. */
import { describe, expect, it, test } from 'vitest'
import { networkOf, type ProofOfWork } from '../../terms/networks.ts'
import { parseHeader } from '../script/transaction.ts'
import { encodeHeader, type HeaderFields } from './checked-headers.ts'
import { mayFollow, targetOf, workProblem } from './proof-of-work.ts'

const genesis = {
  'bitcoin:mainnet': {
    version: 1,
    parentHash: '00'.repeat(32),
    merkleRoot: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
    time: 1231006505,
    bits: 0x1d00ffff,
    nonce: 2083236893,
  },
  'litecoin:mainnet': {
    version: 1,
    parentHash: '00'.repeat(32),
    merkleRoot: '97ddfbbae6be97fd6cdf3e7ca13232a3afff2353e29badfab7f73011edd4ced9',
    time: 1317972665,
    bits: 0x1e0ffff0,
    nonce: 2084524493,
  },
} as const

function problemOf(fields: HeaderFields, work: ProofOfWork): Promise<string | null> {
  const bytes = encodeHeader(fields)
  return workProblem(bytes, parseHeader(Uint8Array.from(bytes)), work)
}

describe.each(['bitcoin:mainnet', 'litecoin:mainnet'] as const)('the work of a header of %s', (reference) => {
  const { work, genesisHash } = networkOf(reference)
  const first = genesis[reference]
  const early = { ...work, minDifficulty: 0n }

  it('is proven by its hash, which is computed from its fields', async () => {
    expect(parseHeader(Uint8Array.from(encodeHeader(first))).hash).toBe(genesisHash)
    expect(await problemOf(first, early)).toBeNull()
  })

  it.each([
    ['another nonce', { nonce: first.nonce + 1 }, /no valid proof of work/],
    ['another time', { time: first.time + 1 }, /no valid proof of work/],
    ['a harder target', { bits: 0x1b00ffff }, /no valid proof of work/],
    ['a target above the limit', { bits: work.easiestBits + 1 }, /easier to mine than any block of its network/],
    ['a target that is negative', { bits: 0x1d80ffff }, /no valid target/],
    ['a target of zero', { bits: 0x1d000000 }, /no valid target/],
  ])('with %s is refused', async (_name, change, problem) => {
    expect(await problemOf({ ...first, ...change }, early)).toMatch(problem)
  })

  it('that is far below the work of today is refused', async () => {
    expect(await problemOf(first, work)).toMatch(/easier to mine than any block of its network/)
  })
})

test('a version is the same with and without a sign', () => {
  const fields = { ...genesis['bitcoin:mainnet'], version: -0x60000000 }
  expect(encodeHeader(fields)).toEqual(encodeHeader({ ...fields, version: 0xa0000000 }))
})

test('a compact target', () => {
  expect(targetOf(0x1d00ffff)).toBe(0xffffn << 208n)
  expect(targetOf(0x03123456)).toBe(0x123456n)
  expect(targetOf(0x02123456)).toBe(0x1234n)
  expect(targetOf(0x00123456)).toBeNull()
  expect(targetOf(0xff123456)).toBeNull()
})

describe('the target of a block', () => {
  const { work } = networkOf('bitcoin:mainnet')
  const RETARGET = 2016n * 16n

  it('is that of its parent between retargets', () => {
    expect(mayFollow(0x1d00ffff, 0x1d00ffff, RETARGET + 1n, work)).toBe(true)
    expect(mayFollow(0x1d00ffff, 0x1d00fffe, RETARGET + 1n, work)).toBe(false)
    expect(mayFollow(0x1d00d86a, 0x1d00ffff, RETARGET - 1n, work)).toBe(false)
  })

  // Bitcoin Core's pow_tests.cpp has these cases: the first retarget, and those that end at the limits.
  it.each([
    { before: 0x1d00ffff, after: 0x1d00d86a, allowed: true },
    { before: 0x1d00ffff, after: 0x1d00ffff, allowed: true },
    { before: 0x1d00ffff, after: 0x1d010000, allowed: false },
    { before: 0x1c05a3f4, after: 0x1c0168fd, allowed: true },
    { before: 0x1c05a3f4, after: 0x1c0168fc, allowed: false },
    // A quarter of it has its highest bit set: its compact form is rounded by one byte more.
    { before: 0x1c020007, after: 0x1c008001, allowed: true },
    { before: 0x1c020007, after: 0x1c008000, allowed: false },
    { before: 0x1c387f6f, after: 0x1d00e1fd, allowed: true },
    { before: 0x1c387f6f, after: 0x1d00e1fe, allowed: false },
  ])('changes by at most four times in a retarget: $before to $after is $allowed', ({ before, after, allowed }) => {
    expect(mayFollow(before, after, RETARGET, work)).toBe(allowed)
  })

  it('may be any on a test network, within its limit', () => {
    expect(mayFollow(0x1b00ffff, 0x1d00ffff, RETARGET + 1n, networkOf('bitcoin:testnet').work)).toBe(true)
    expect(mayFollow(0x1e0377ae, 0x1e0377ad, RETARGET + 1n, networkOf('bitcoin:signet').work)).toBe(false)
  })
})
