/** Tests that HTLCs are the same whether they are built in this thread or in a worker. */
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { expect, it } from 'vitest'
import { buildHtlc, htlcOf, isHtlcCached } from '../terms/htlc.ts'
import { networkOf } from '../terms/networks.ts'
import { createHtlcDeriver } from './htlc-jobs.ts'

const regtest = networkOf('bitcoin:regtest')

const [initiator, redeemer] = [
  '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5',
]
const newTerms = (): HtlcTerms => ({
  asset: 'bitcoin_regtest:btc',
  initiator,
  redeemer,
  amount: 1000n,
  secretHash: hashSecret(createSecret()),
  timelock: 144n,
})

it('leaves the first eight of a second to the caller, and builds the others in a worker', async () => {
  let nowMs = 0
  const derive = createHtlcDeriver(() => nowMs)
  const all = Array.from({ length: 12 }, newTerms)
  for (const terms of all) await derive(terms, regtest)
  expect(all.map((terms) => isHtlcCached(terms, regtest))).toEqual(all.map((_, index) => index >= 8))
  nowMs += 1000
  const next = newTerms()
  await derive(next, regtest)
  expect(isHtlcCached(next, regtest)).toBe(false)
})

it('builds the same in a worker', async () => {
  const derive = createHtlcDeriver()
  const all = Array.from({ length: 10 }, newTerms)
  await Promise.all(all.map((terms) => derive(terms, regtest)))
  const [last = newTerms()] = all.slice(-1)
  expect(isHtlcCached(last, regtest)).toBe(true)
  expect(htlcOf(last, regtest)).toEqual(buildHtlc(last, regtest))
})

it('says what is wrong with terms, as in this thread', async () => {
  const derive = createHtlcDeriver()
  for (let count = 0; count < 8; count += 1) await derive(newTerms(), regtest)
  const wrong = { ...newTerms(), timelock: 65_536n }
  await expect(derive(wrong, regtest)).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining('timelock must be') })
})
