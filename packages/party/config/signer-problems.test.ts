/** Tests that a solver with a signer has no private key of its own. */
import { expect, test } from 'vitest'
import type { SolverConfig } from './schema.ts'
import { signerProblems } from './signer-problems.ts'

const publicKey = { public_key: '02'.repeat(33) }
const signer = { socket: 'signer.sock', public_key: '44'.repeat(32) }
const tls = { key: { file: 'key' }, cert: 'cert', ca: 'ca' }
const problemsOf = (config: Partial<Pick<SolverConfig, 'signer' | 'private_key'>>) =>
  signerProblems({ environment: 'local', chains: {}, prices: {}, ...config })

test('public keys and one address are right', () => {
  expect(problemsOf({ private_key: { file: 'key' } })).toEqual([])
  expect(problemsOf({ signer, private_key: { secp256k1: publicKey } })).toEqual([])
  expect(problemsOf({ signer: { url: 'https://a', tls, public_key: signer.public_key }, private_key: publicKey })).toEqual([])
})

test('a private key beside a signer is refused, with its place', () => {
  expect(problemsOf({ signer, private_key: { secp256k1: publicKey, ed25519: { file: 'key' } } })).toEqual([
    expect.stringMatching(/^\/private_key\/ed25519 names a private key/),
  ])
})

test.each([
  [{ public_key: signer.public_key }, '/signer needs either /socket or /url'],
  [{ ...signer, url: 'https://a', tls }, '/signer needs either /socket or /url'],
  [{ url: 'https://a', public_key: signer.public_key }, '/signer/url and /signer/tls belong together'],
  [{ ...signer, tls }, '/signer/url and /signer/tls belong together'],
])('%j: %s', (wrong, problem) => {
  expect(problemsOf({ signer: wrong, private_key: publicKey })).toEqual([problem])
})
