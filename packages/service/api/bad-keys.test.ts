// Misspelt keys, keys of another network and keys that are not on the curve are refused as owners before anything is stored.

import { sha256 } from '@noble/hashes/sha2.js'
import { bech32, bech32m, createBase58check } from '@scure/base'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { localChains } from '@tandem/families/registry.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { useRealChains } from '../testing/real-chains.fixture.ts'
import { alice, sharedService, wbtc } from '../testing/service.fixture.ts'
import { expectRefused } from './fuzz/expect-refused.fixture.ts'

const service = sharedService()
opened(() => useRealChains(service))
afterEach(() => {
  service.solver.ordered.length = 0
})

const KEY = 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'
const hash = Uint8Array.from({ length: 20 }, (_, index) => index)
const program = Uint8Array.from(Buffer.from(KEY, 'hex'))
const base58check = createBase58check(sha256)
const segwit = (prefix: string) => bech32.encode(prefix, [0, ...bech32.toWords(hash)])
const taproot = (prefix: string, bytes = program) => bech32m.encode(prefix, [1, ...bech32m.toWords(bytes)])
const base58 = (version: number) => base58check.encode(Uint8Array.of(version, ...hash))

const family = localChains.filter((chain) => chain.family === 'bitcoin')

describe.each(family.map((chain) => [chain.id, chain] as const))('%s', (_id, chain) => {
  const network = networkOf(chain.reference)
  const foreign = ['bc', 'tb', 'bcrt', 'ltc', 'tltc', 'rltc'].filter((prefix) => prefix !== network.bech32)
  const right = segwit(network.bech32)
  const from = (owner: unknown) => ({
    source: { asset: chain.nativeAsset, owner, amount: '50000000' },
    destination: { asset: wbtc, owner: alice, amount: '990000' },
    solver_id: 'first',
  })
  const to = (owner: unknown) => ({
    source: { asset: wbtc, owner: alice, amount: '1000000' },
    destination: { asset: chain.nativeAsset, owner, amount: '50000000' },
    secret_hash: hashSecret(createSecret()),
    solver_id: 'first',
  })

  test.each<[string, string, RegExp]>([
    ...foreign.map((prefix): [string, string, RegExp] => [`segwit of "${prefix}"`, segwit(prefix), /belongs to another network/]),
    ...foreign.map((prefix): [string, string, RegExp] => [`taproot of "${prefix}"`, taproot(prefix), /belongs to another network/]),
    ['base58 of Bitcoin', base58(0x00), /belongs to another network/],
    ['base58 of Litecoin', base58(0x30), /belongs to another network/],
    ['base58 of Dogecoin', base58(0x1e), /belongs to another network/],
    ['a wrong checksum', `${right.slice(0, -1)}${right.endsWith('q') ? 'p' : 'q'}`, /its checksum is wrong/],
    ['both cases', right.slice(0, 10) + right.slice(10).toUpperCase(), /mixes upper and lower case/],
    ['taproot off the curve', taproot(network.bech32, new Uint8Array(32).fill(255)), /its key is not on the curve/],
    ['an MWEB address', `ltcmweb1${'q'.repeat(70)}`, /MWEB|address that we can pay/],
    ['a key that is not on the curve', 'f'.repeat(64), /no point with this x on secp256k1/],
    ['the key zero', '0'.repeat(64), /no point with this x on secp256k1/],
    ['a key of 33 bytes', `02${KEY}`, /remove its first byte \(02 or 03\)/],
    ['a key of 33 bytes in capitals', `03${KEY}`.toUpperCase(), /remove its first byte/],
    ['a key with 0x', `0x${KEY}`, /remove the 0x/],
    ['a key that is too short', KEY.slice(2), /neither bech32 nor base58|address that we can pay/],
    ['a key that is too long', `${KEY}00`, /it has 66 hex characters/],
    ['a key with a space', ` ${KEY}`, /address that we can pay/],
    ['a key with a foreign digit', `${KEY.slice(0, -1)}５`, /address that we can pay/],
    ['an account', alice, /neither bech32 nor base58|address that we can pay/],
  ])('%s is refused as an owner', async (_name, owner, words) => {
    for (const [body, field] of [
      [from(owner), 'source\\.owner'],
      [to(owner), 'destination\\.owner'],
    ] as const) {
      await expectRefused(service, 'POST', '/v2/orders', { body }, 'invalid_address', new RegExp(`^${field}: .*${words.source}`, 's'))
    }
    expect(service.solver.ordered).toEqual([])
  })

  test('accepts every valid notation of a key', async () => {
    const owners = [
      right,
      right.toUpperCase(),
      taproot(network.bech32),
      base58(network.pubKeyHash),
      base58(network.scriptHash),
      KEY,
      KEY.toUpperCase(),
    ]
    for (const owner of owners) {
      for (const body of [from(owner), to(owner)]) {
        const { body: reply } = await service.call('POST', '/v2/orders', { body })
        expect(reply, owner).toMatchObject({ status: 'Ok' })
        const stored = await findOrder(service.db, (reply.result as { order_id: string }).order_id)
        const leg = body.source.asset === chain.nativeAsset ? 'source' : 'destination'
        expect(stored?.order[leg].clientKey).toBe(owner.toLowerCase() === KEY)
      }
    }
  })

  test("a client's key as destination.owner needs a secret_hash", async () => {
    for (const owner of [KEY, KEY.toUpperCase()]) {
      const { secret_hash: _, ...body } = to(owner)
      await expectRefused(
        service,
        'POST',
        '/v2/orders',
        { body },
        'bad_request',
        /only you can redeem, and you need the secret to redeem.*secret_hash/,
      )
    }
  })
})

test('refuses a public key as owner on other families', async () => {
  const body = {
    source: { asset: wbtc, owner: KEY, amount: '1000000' },
    destination: { asset: 'bitcoin_regtest:btc', owner: segwit('bcrt'), amount: '990000' },
  }
  await expectRefused(service, 'POST', '/v2/orders', { body }, 'invalid_address', /^source\.owner: .*0x followed by 40 hex digits/)
})
