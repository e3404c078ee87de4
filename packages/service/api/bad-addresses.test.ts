// Misspelt addresses and signatures, and those of another network or owner, are refused by the real families before anything is stored.

import { bech32, bech32m } from '@scure/base'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import type { CreateOrderResult } from '@tandem/protocol/funding/funding.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { useRealChains } from '../testing/real-chains.fixture.ts'
import { btc, eventsOf, NOW, sharedService, usdc, wbtc } from '../testing/service.fixture.ts'
import { expectRefused } from './fuzz/expect-refused.fixture.ts'

const service = sharedService()
opened(() => useRealChains(service))
afterEach(() => {
  service.solver.ordered.length = 0
})

const owner = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const stranger = privateKeyToAccount(`0x${'22'.repeat(32)}`)
const digits = owner.address.slice(2)
const lower = digits.toLowerCase()
const flipped = digits.replace(/[a-fA-F]/, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))

const hash = Uint8Array.from(Buffer.from('751e76e8199196d454941c45d1b3a323f1433bd6', 'hex'))
const segwit = (version: number, bytes: Uint8Array, coder: typeof bech32 | typeof bech32m, prefix = 'bcrt') =>
  coder.encode(prefix, [version, ...coder.toWords(bytes)])
/** BIP173 uses this key hash in its examples. */
const script = segwit(0, hash, bech32)
const legacy = 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r'

type Row = [name: string, address: string, words: RegExp]

const badAccounts: readonly Row[] = [
  ['one letter of another case', `0x${flipped}`, /its EIP-55 checksum is wrong/],
  ['39 digits', `0x${lower.slice(1)}`, /expected 40 hex digits, got 39/],
  ['41 digits', `0x${lower}0`, /expected 40 hex digits, got 41/],
  ['no prefix', lower, /expected 0x followed by 40 hex digits/],
  ['a prefix in capitals', `0X${lower}`, /expected 0x followed by 40 hex digits/],
  ['no hex', `0x${'g'.repeat(40)}`, /expected 0x followed by 40 hex digits/],
  ['digits of another script', `0x${'１'.repeat(40)}`, /expected 0x followed by 40 hex digits/],
  ['a space', ` 0x${lower}`, /expected 0x followed by 40 hex digits/],
  ['a line end', `0x${lower}\n`, /expected 0x followed by 40 hex digits/],
  ['the zero address', `0x${'0'.repeat(40)}`, /money sent to the zero address is lost/],
  ['a name', 'someone.eth', /expected 0x followed by 40 hex digits/],
  ['an address of Bitcoin', script, /expected 0x followed by 40 hex digits/],
  ['32 bytes', `0x${'ab'.repeat(32)}`, /expected 40 hex digits, got 64/],
]

const badScripts: readonly Row[] = [
  ['a wrong checksum', `${script.slice(0, -1)}q`, /its checksum is wrong/],
  ['both cases', script.slice(0, 10) + script.slice(10).toUpperCase(), /it mixes upper and lower case/],
  ['the main network', segwit(0, hash, bech32, 'bc'), /it belongs to another network: expected "bcrt1…"/],
  ['the test network', segwit(0, hash, bech32, 'tb'), /it belongs to another network: expected "bcrt1…"/],
  ['another coin', segwit(0, hash, bech32, 'ltc'), /not a Bitcoin address that we can pay/],
  ['a character too few', script.slice(0, -1), /its checksum is wrong/],
  ['a character too many', `${script}q`, /its checksum is wrong/],
  ['19 bytes', segwit(0, hash.subarray(1), bech32), /witness version 0 with 19 bytes is not a known kind/],
  ['a checksum of the wrong kind', segwit(0, hash, bech32m), /its checksum is of the wrong kind for its version/],
  ['taproot with 20 bytes', segwit(1, hash, bech32m), /witness version 1 with 20 bytes is not a known kind/],
  ['taproot off the curve', segwit(1, new Uint8Array(32).fill(255), bech32m), /its key is not on the curve/],
  ['a version of the future', segwit(2, new Uint8Array(32).fill(1), bech32m), /witness version 2 with 32 bytes is not a known kind/],
  ['base58 with a wrong checksum', `${legacy.slice(0, -1)}9`, /neither bech32 nor base58 with a valid checksum/],
  ['base58 in lower case', legacy.toLowerCase(), /neither bech32 nor base58 with a valid checksum/],
  ['base58 of the main network', '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH', /it belongs to another network than/],
  ['a space', ` ${script}`, /not a Bitcoin address that we can pay/],
  ['an account', owner.address, /neither bech32 nor base58/],
  ['101 characters', 'm'.repeat(101), /it is too long/],
]

const toBitcoin = (source: object, destination: object) => ({
  source: { asset: wbtc, owner: owner.address, amount: '1000000', ...source },
  destination: { asset: btc, owner: script, amount: '990000', ...destination },
  solver_id: 'first',
})
const fromBitcoin = (source: object, destination: object) => ({
  source: { asset: btc, owner: script, amount: '1000000', ...source },
  destination: { asset: wbtc, owner: owner.address, amount: '990000', ...destination },
  solver_id: 'first',
})
const refused = async (body: object, field: string, words: RegExp) => {
  await expectRefused(service, 'POST', '/v2/orders', { body }, 'invalid_address', new RegExp(`^${field}: .*${words.source}`, 's'))
  expect(service.solver.ordered).toEqual([])
}

test.each(badAccounts)('an EVM address with %s is refused in every field', async (_name, address, words) => {
  await refused(toBitcoin({ owner: address }, {}), 'source\\.owner', words)
  await refused(toBitcoin({ delegate: address }, {}), 'source\\.delegate', words)
  await refused(fromBitcoin({}, { owner: address }), 'destination\\.owner', words)
})

test.each(badScripts)('a Bitcoin address with %s is refused in every field', async (_name, address, words) => {
  await refused(fromBitcoin({ owner: address }, {}), 'source\\.owner', words)
  await refused(toBitcoin({}, { owner: address }), 'destination\\.owner', words)
})

async function make(body: object): Promise<CreateOrderResult> {
  const { body: reply } = await service.call('POST', '/v2/orders', { body })
  expect(reply).toMatchObject({ status: 'Ok', error: null })
  service.solver.ordered.length = 0
  return reply.result as CreateOrderResult
}

test('accepts every valid notation of an address, as the same address', async () => {
  for (const address of [owner.address, `0x${lower}`, `0x${lower.toUpperCase()}`]) {
    const { order_id: id } = await make(toBitcoin({ owner: address }, {}))
    expect((await findOrder(service.db, id))?.order.source.terms.initiator).toBe(`0x${lower}`)
  }
  for (const [address, canonical] of [
    [script, script],
    [script.toUpperCase(), script],
    [legacy, legacy],
  ]) {
    const { order_id: id } = await make(toBitcoin({}, { owner: address }))
    expect((await findOrder(service.db, id))?.order.destination.userAddress).toBe(canonical)
  }
})

describe('PATCH refund', () => {
  let made: CreateOrderResult
  beforeAll(async () => {
    made = await make(fromBitcoin({ owner: null }, {}))
    const source = (await findOrder(service.db, made.order_id))?.order.source
    if (source === undefined) throw new Error('the order was not made')
    await service.mine('bitcoin_regtest', { height: 100n, time: NOW }, [eventsOf(source).initiated('ab'.repeat(32))])
    await service.mine('bitcoin_regtest', { height: 400n, time: NOW }, [])
  })

  test.each(badScripts)('refuses an address with %s', (_name, address, words) =>
    expectRefused(
      service,
      'PATCH',
      `/v2/orders/${made.order_id}?action=refund`,
      { body: { address, order_token: made.order_token } },
      'invalid_address',
      new RegExp(`^address: .*${words.source}`, 's'),
    ),
  )
})

describe('PATCH initiate', () => {
  type TypedData = Parameters<typeof owner.signTypedData>[0]
  const order = () => make({ ...toBitcoin({}, {}), destination: { asset: usdc, owner: owner.address, amount: '990000000' } })
  const typedDataOf = (result: CreateOrderResult) => ('typed_data' in result ? (result.typed_data as unknown as TypedData) : null)
  let first: { id: string; typedData: TypedData }
  let second: { id: string; typedData: TypedData }
  beforeAll(async () => {
    const [one, two] = [await order(), await order()]
    const [a, b] = [typedDataOf(one), typedDataOf(two)]
    if (a === null || b === null) throw new Error('there is nothing to sign')
    first = { id: one.order_id, typedData: a }
    second = { id: two.order_id, typedData: b }
  })
  const initiate = (signature: string, words: RegExp, code: 'invalid_signature' | 'bad_request' = 'invalid_signature') =>
    expectRefused(service, 'PATCH', `/v2/orders/${first.id}?action=initiate`, { body: { signature } }, code, words)

  test('refuses signatures by another key, over other data, malleated or malformed', async () => {
    const right = await owner.signTypedData(first.typedData)
    const notBy = new RegExp(`signature is not by 0x${lower} over the typed_data of this order`)
    await initiate(await stranger.signTypedData(first.typedData), notBy)
    await initiate(await owner.signTypedData(second.typedData), notBy)
    await initiate(`${right.slice(0, -2)}${right.endsWith('1b') ? '1c' : '1b'}`, notBy)
    await initiate(right.slice(0, -4), notBy)
    await initiate(`${right}00`, notBy)
    await initiate(`0x${'0'.repeat(130)}`, notBy)
    await initiate(`0x${'f'.repeat(130)}`, notBy)
    for (const text of ['', '0x', 'signed', `${right}0`, '０x00', ` ${right}`]) await initiate(text, /signature must be hex/)
    await initiate(`0x${'00'.repeat(4097)}`, /signature is longer than 4096 bytes/)
    // The signature is the same with s in the upper half of the curve's order, which EIP-2 forbids.
    const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const s = (n - BigInt(`0x${right.slice(66, 130)}`)).toString(16).padStart(64, '0')
    await initiate(`${right.slice(0, 66)}${s}${right.endsWith('1b') ? '1c' : '1b'}`, notBy)
  })

  test('refuses a valid signature if the initiation would revert', async () => {
    await initiate(await owner.signTypedData(first.typedData), /holds 0 of ethereum_localnet:wbtc, the order needs 1000000/, 'bad_request')
  })
})
