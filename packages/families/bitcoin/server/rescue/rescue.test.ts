/** Tests refunds by a refund package: from a live chain, and from the package alone. */
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { networkOf } from '../../terms/networks.ts'
import { regtestChain, startSimulatedChain } from '../bitcoin.fixture.ts'
import { serveChanged } from '../nodes/test-node.fixture.ts'
import { parseTransaction } from '../script/transaction.ts'
import { prepareRescue, rescueTwoDeposits } from './rescue.fixture.ts'
import { connectRescueNode, rescue } from './rescue.ts'

const node = opened(startSimulatedChain)

const chain = regtestChain()
const esplora = () => ({ esplora: node.endpoints.esplora ?? [] })
const rpc = () => ({ rpc: node.endpoints.rpc ?? [] })

test('deposits are refunded after their timelock, found through an Esplora server', () => rescueTwoDeposits(chain, node, esplora()))
test('deposits are refunded after their timelock, found through a node', () => rescueTwoDeposits(chain, node, rpc()))

test('the same on Litecoin, at an Esplora server', async () => {
  const litecoin = await startSimulatedChain('litecoin:regtest')
  onTestFinished(() => litecoin.close())
  await rescueTwoDeposits(regtestChain('litecoin:regtest'), litecoin, { esplora: litecoin.endpoints.esplora ?? [] })
})

const deposit = (amount: bigint, digit = 'a') => ({ id: `${digit.repeat(64)}:0`, amount })
const request = { deposits: [deposit(500_000n)], to: null, feeRate: 2_000n, privateKey: null }

const refused = (work: () => unknown, words: RegExp, code = 'bad_request') =>
  expect(work).toThrow(expect.objectContaining({ code, message: expect.stringMatching(words) }))

describe('from the package alone', () => {
  test('the transaction pays the reported amount at the requested fee rate', () => {
    const { refundPackage } = prepareRescue(chain, esplora())
    const refund = rescue(refundPackage, request)
    const transaction = parseTransaction(refund.transaction)
    expect(transaction.txid()).toBe(refund.tx)
    expect(transaction.outputs.map(({ amount }) => amount)).toEqual([refund.pays])
    expect(transaction.inputs.map(({ sequence }) => sequence)).toEqual([12])
    expect(refund.fee).toBe(transaction.vsize * 2n)
    expect(rescue(refundPackage, { ...request, feeRate: 2_500n }).fee).toBe((transaction.vsize * 5n + 1n) / 2n)
  })

  test('a key is 64 hex characters in any case', () => {
    const { refundPackage, key } = prepareRescue(chain, esplora(), { clientKey: true })
    expect(refundPackage.private_key).toBe(null)
    refused(() => rescue(refundPackage, { ...request, privateKey: key.slice(1) }), /64 hex characters/)
    refused(() => rescue(refundPackage, { ...request, privateKey: '0'.repeat(64) }), /does not belong/)
    expect(rescue(refundPackage, { ...request, privateKey: key.toUpperCase() }).pays).toBeGreaterThan(0n)
  })

  test('the refund can go to an address of any type on this network', () => {
    const { refundPackage } = prepareRescue(chain, esplora())
    const to = 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r'
    expect(rescue(refundPackage, { ...request, to }).to).toBe(to)
    refused(() => rescue(refundPackage, { ...request, to: '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH' }), /another network/, 'invalid_address')
  })

  test('deposits that are not worth their fee are left out, and at most a hundred are refunded at once', () => {
    const { refundPackage } = prepareRescue(chain, esplora())
    const dust = { ...deposit(150n, 'b') }
    expect(rescue(refundPackage, { ...request, deposits: [dust, ...request.deposits] }).deposits).toEqual([`${'a'.repeat(64)}:0`])
    refused(() => rescue(refundPackage, { ...request, deposits: [dust] }), /no deposit is worth the fee/)
    const many = Array.from({ length: 101 }, (_, vout) => ({ id: `${'c'.repeat(64)}:${vout}`, amount: 10_000n }))
    expect(rescue(refundPackage, { ...request, deposits: many }).deposits).toHaveLength(100)
  })

  test.each([
    ['a deposit without a number', { deposits: [{ id: 'a'.repeat(64), amount: 1_000n }] }, /is not a deposit/],
    ['a fee rate below what is relayed', { feeRate: 999n }, /fee rate must be from 1 to 1000 satoshis per vB/],
    ['a fee rate like a slip', { feeRate: 1_000_001n }, /fee rate must be from 1 to 1000 satoshis per vB/],
    ['a fee that takes most of it', { deposits: [deposit(20_000n)], feeRate: 100_000n }, /would take most of the 20000 satoshis/],
    ['a refund that would be dust', { deposits: [deposit(550n)], feeRate: 2_000n }, /would take most of the 550 satoshis/],
  ])('%s is refused', (_name, change, words) => {
    refused(() => rescue(prepareRescue(chain, esplora()).refundPackage, { ...request, ...change }), words)
  })
})

describe('a package whose parts disagree, or are missing, is refused, and its key never quoted', () => {
  type Package = Record<string, unknown> & { terms: Record<string, string>; script_tree: Record<string, object> }
  const other = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
  test.each<[string, (it: Package) => object, RegExp]>([
    ['no family', ({ family: _, ...rest }) => rest, /cannot be used/],
    ['another version', (it) => ({ ...it, version: 2 }), /version is missing or invalid/],
    ['no terms', ({ terms: _, ...rest }) => rest, /not complete/],
    ['an unknown network', (it) => ({ ...it, network: 'bitcoin:moon' }), /network "bitcoin:moon" is not one of/],
    ['another network', (it) => ({ ...it, network: 'litecoin:regtest' }), /parts disagree: its terms make the address rltc1p/],
    [
      'another address',
      (it) => ({ ...it, address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080' }),
      /parts disagree: its terms make the address/,
    ],
    ['another timelock', (it) => ({ ...it, terms: { ...it.terms, timelock: '13' } }), /parts disagree/],
    ['a timelock that no chain has', (it) => ({ ...it, terms: { ...it.terms, timelock: '70000' } }), /terms make no HTLC: timelock/],
    ['another initiator', (it) => ({ ...it, terms: { ...it.terms, initiator: other } }), /parts disagree/],
    ['another redeemer', (it) => ({ ...it, terms: { ...it.terms, redeemer: other } }), /parts disagree/],
    ['another secret hash', (it) => ({ ...it, terms: { ...it.terms, secret_hash: other } }), /parts disagree/],
    ['an initiator that is not a key', (it) => ({ ...it, terms: { ...it.terms, initiator: 'f'.repeat(64) } }), /terms make no HTLC/],
    ['a secret hash in capitals', (it) => ({ ...it, terms: { ...it.terms, secret_hash: other.toUpperCase() } }), /terms\.secret_hash/],
    ['a number as amount', (it) => ({ ...it, terms: { ...it.terms, amount: 5 } }), /terms\.amount/],
    [
      'another internal key',
      (it) => ({ ...it, script_tree: { ...it.script_tree, internal_key: other } }),
      /script_tree\.internal_key is not that of its terms/,
    ],
    [
      'leaves in exchange',
      (it) => ({ ...it, script_tree: { ...it.script_tree, refund: it.script_tree.redeem } }),
      /script_tree\.refund is not that/,
    ],
    ['no leaf', (it) => ({ ...it, script_tree: { ...it.script_tree, redeem: {} } }), /script_tree\.redeem/],
    ['the key of another', (it) => ({ ...it, private_key: '11'.repeat(32) }), /private key does not belong to this refund package/],
    ['no key', (it) => ({ ...it, private_key: 'not to be shown' }), /private_key is missing or invalid/],
  ])('%s', (_name, change, words) => {
    const { refundPackage, key } = prepareRescue(chain, esplora())
    const changed = change(refundPackage as unknown as Package)
    try {
      rescue(changed as typeof refundPackage, request)
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ code: 'bad_request', message: expect.stringMatching(words) })
      for (const quoted of [key, '11'.repeat(32), 'not to be shown']) expect(String(error)).not.toContain(quoted)
    }
  })
})

test('a node of another network is refused', async () => {
  const { refundPackage } = prepareRescue({ ...chain, reference: 'litecoin:regtest' }, esplora())
  const rescueNode = connectRescueNode(refundPackage, rpc())
  await expect(rescueNode.deposits()).rejects.toThrow(/another network than Litecoin regtest/)
  await expect(rescueNode.broadcast('00')).rejects.toThrow(/another network/)
})

test('a node of another signet is refused, though all signets begin with the same block', async () => {
  const signet = { ...chain, reference: 'bitcoin:signet' }
  const { genesisHash } = networkOf(signet.reference)
  const server = await serveChanged(node.endpoints.esplora?.[0] ?? '', (path) =>
    path === '/block-height/0' ? { status: 200, body: genesisHash } : null,
  )
  onTestFinished(() => server.close())
  const rescueNode = connectRescueNode(prepareRescue(signet, esplora()).refundPackage, { esplora: [server.url] })
  await expect(rescueNode.deposits()).rejects.toThrow(/another signet than signet/)
  await expect(rescueNode.broadcast('00')).rejects.toThrow(/another signet/)
})

test.each(['rpc', 'esplora'] as const)('only the named deposits are checked through %s', async (endpoint) => {
  const { client, terms, refundPackage } = prepareRescue(chain, esplora())
  for (const amount of [300_000n, 200_000n]) await node.pay(client.swapId(terms), amount)
  await node.mine(1)
  const all = await connectRescueNode(refundPackage, esplora()).deposits()
  const wanted = all.find(({ amount }) => amount === 200_000n)
  const id = wanted?.id ?? ''
  const others = [`${id.slice(0, 64)}:${1 - Number(id.slice(65))}`, `${id.slice(0, 64)}:9`, `${'ab'.repeat(32)}:0`]
  const server = await serveChanged(node.endpoints.esplora?.[0] ?? '', (path) =>
    path.endsWith('/utxo') ? { status: 400, body: 'Too many unspent transaction outputs' } : null,
  )
  try {
    const rescueNode = connectRescueNode(refundPackage, endpoint === 'rpc' ? rpc() : { esplora: [server.url] })
    expect(await rescueNode.deposits([...others, id])).toEqual([wanted])
    const unmined = await node.pay(client.swapId(terms), 100_000n)
    expect(await rescueNode.deposits([`${unmined}:0`, `${unmined}:1`])).toEqual([])
  } finally {
    await server.close()
    await client.close()
  }
})

test('the fee rate is the estimate of the node, within the bounds of the network', async () => {
  expect(await connectRescueNode(prepareRescue(chain, rpc()).refundPackage, rpc()).feeRate()).toBe(2_000n)
})
