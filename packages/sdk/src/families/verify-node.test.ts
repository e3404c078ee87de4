/** A node that is asked before a payment, in every family: one that is well passes; a dead one, one of another network, one that stands still and one without our contract do not. */
import { GrpcTypes } from '@mysten/sui/grpc'
import { base64 } from '@scure/base'
import { type Address, getAddressDecoder } from '@solana/kit'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import type { SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { chainIdOf } from '@tandem/evm/terms/htlc.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import { localChains } from '@tandem/families/registry.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { genesisHashOf } from '@tandem/solana/terms/nodes/chain-problem.ts'
import { genesisDigestOf } from '@tandem/sui/terms/nodes/chain-problem.ts'
import { fromEvmAddress } from '@tandem/tron/terms/address.ts'
import { toRippleTime } from '@tandem/xrpl/terms/htlc.ts'
import { networkIdOf } from '@tandem/xrpl/terms/network.ts'
import { expect, test } from 'vitest'
import { type Deployments, pinnedAsset } from '../verify/pinned.ts'

const now = () => Math.floor(Date.now() / 1000)
const LONG_AGO = 7 * 24 * 3600

/** Answers by method, or by path. `undefined`: 404. */
type Answers = Readonly<Record<string, unknown>>
type Case = {
  readonly asset: string
  readonly deployments: Deployments
  /** `time`: of the newest block. */
  readonly well: (chain: Chain, time: number) => Answers
  /** One of another network. */
  readonly elsewhere: Answers
  /** One without our contract; null where there are none. */
  readonly without: Answers | null
  readonly isGrpc?: true
}

const evm = (digit: string) => `0x${digit.repeat(40)}`
const wide = (digits: string) => `0x0${digits.repeat(31).padEnd(63, '1')}`
const tron = (digit: string) => fromEvmAddress(evm(digit) as `0x${string}`)
const sol = (value: number): Address => getAddressDecoder().decode(new Uint8Array(32).fill(value))
const pinned = (asset: string, htlc: string, token: string): Deployments => ({ [asset]: { htlc, token } })

const evmLike = (asset: string, deployments: Deployments): Case => ({
  asset,
  deployments,
  well: (chain, time) => ({
    eth_chainId: `0x${chainIdOf(chain).toString(16)}`,
    eth_getBlockByNumber: { number: '0x5', timestamp: `0x${time.toString(16)}` },
    eth_getCode: '0x6000',
  }),
  elsewhere: { eth_chainId: '0x7777' },
  without: { eth_getCode: '0x' },
})

const { GetServiceInfoResponse, GetCheckpointResponse, GetObjectResponse } = GrpcTypes

const cases: readonly Case[] = [
  evmLike('ethereum_localnet:wbtc', pinned('ethereum_localnet:wbtc', evm('1'), evm('2'))),
  evmLike('hypercore_localnet:purr', pinned('hypercore_localnet:purr', evm('1'), evm('2'))),
  evmLike('tron_localnet:usdt', pinned('tron_localnet:usdt', tron('1'), tron('2'))),
  {
    asset: 'bitcoin_regtest:btc',
    deployments: {},
    well: ({ reference }, time) => ({
      '/block-height/0': networkOf(reference).genesisHash,
      '/blocks/tip/hash': 'newest',
      '/block/newest': { height: 5, timestamp: time },
    }),
    elsewhere: { '/block-height/0': 'ff'.repeat(32) },
    without: null,
  },
  {
    asset: 'starknet_localnet:wbtc',
    deployments: pinned('starknet_localnet:wbtc', wide('1a'), wide('2a')),
    well: ({ reference }, time) => ({
      starknet_chainId: `0x${Buffer.from(reference.replace(/^starknet:/, '')).toString('hex')}`,
      starknet_getBlockWithTxHashes: { block_number: 5, timestamp: time },
      starknet_getClassHashAt: '0x1',
    }),
    elsewhere: { starknet_chainId: '0x77' },
    without: { starknet_getClassHashAt: undefined },
  },
  {
    asset: 'solana_localnet:usdc',
    deployments: pinned('solana_localnet:usdc', sol(1), sol(2)),
    well: (chain, time) => ({
      getGenesisHash: genesisHashOf(chain),
      getAccountInfo: { context: { slot: 500 }, value: { owner: sol(3), lamports: 1, data: ['', 'base64'] } },
      getBlocks: [400, 499],
      getBlockTime: time,
    }),
    elsewhere: { getGenesisHash: sol(9) },
    without: { getAccountInfo: { context: { slot: 500 }, value: null } },
  },
  {
    asset: 'sui_localnet:usdc',
    deployments: { 'sui_localnet:usdc': { htlc: wide('1a'), token: `${wide('2a')}::usdc::USDC`, package: wide('3a') } },
    isGrpc: true,
    well: (chain, time) => ({
      GetServiceInfo: GetServiceInfoResponse.toBinary(GetServiceInfoResponse.create({ chainId: genesisDigestOf(chain) })),
      GetCheckpoint: GetCheckpointResponse.toBinary(
        GetCheckpointResponse.create({ checkpoint: { sequenceNumber: 5n, summary: { timestamp: { seconds: BigInt(time), nanos: 0 } } } }),
      ),
      GetObject: GetObjectResponse.toBinary(GetObjectResponse.create({ object: { objectType: '0x2::a::B' } })),
    }),
    elsewhere: { GetServiceInfo: GetServiceInfoResponse.toBinary(GetServiceInfoResponse.create({ chainId: 'another' })) },
    without: { GetObject: undefined },
  },
  {
    asset: 'xrpl_localnet:xrp',
    deployments: {},
    well: (chain, time) => ({
      server_info: { info: { network_id: networkIdOf(chain) } },
      ledger: { ledger_index: 5, ledger: { close_time: toRippleTime(BigInt(time)) } },
    }),
    elsewhere: { server_info: { info: {} } },
    without: null,
  },
]

function jsonNode(answers: Answers): typeof fetch {
  return async (url, init) => {
    const body = String(init?.body ?? '')
    const name = body === '' ? String(url).replace('http://node.example/secret', '') : (JSON.parse(body) as { method: string }).method
    const answer = answers[name]
    if (answer === undefined) return body === '' ? new Response('', { status: 404 }) : Response.json({ error: { message: `no ${name}` } })
    if (body !== '') return Response.json({ result: answer })
    return new Response(typeof answer === 'string' ? answer : JSON.stringify(answer))
  }
}

/** gRPC-web: one frame with the message, one with the status. */
function grpcNode(answers: Answers): typeof fetch {
  return async (url) => {
    const message = answers[String(url).replace(/^.*\//, '')] as Uint8Array | undefined
    const status = new TextEncoder().encode(`grpc-status: ${message === undefined ? 5 : 0}\r\n`)
    const frame = (flag: number, bytes: Uint8Array) => [flag, ...new Uint8Array(new Uint32Array([bytes.length]).buffer).reverse(), ...bytes]
    const body = Uint8Array.from([...(message === undefined ? [] : frame(0, message)), ...frame(0x80, status)])
    return new Response(base64.encode(body), { headers: { 'content-type': 'application/grpc-web-text+proto' } })
  }
}

/** What is said of such a node; null: nothing. */
async function problemOf(
  one: Case,
  change: (well: Answers) => Answers,
  { age = 0, fetch }: { age?: number; fetch?: typeof globalThis.fetch } = {},
) {
  const { chain, asset, deployment } = await pinnedAsset(one.asset, one.deployments)
  const answers = change(one.well(chain, now() - age))
  const side = { leg: 'destination', chain, asset, deployment } as SwapSide
  const node = { url: 'http://node.example/secret', fetch: fetch ?? (one.isGrpc === true ? grpcNode(answers) : jsonNode(answers)) }
  const { verifyNode } = await loadFamily(chain.family)
  const error = await verifyNode(side, node).then(
    () => null,
    (thrown: unknown) => thrown as Error,
  )
  return error === null ? null : `${error.name}: ${error.message}`
}

test('a network that is told apart by block 1 needs the hash that the integrator names', async () => {
  const [asset, hash] = ['alpen_signet:btc', '12'.repeat(32)]
  const well = cases.find((one) => one.asset === 'bitcoin_regtest:btc')?.well
  if (well === undefined) throw new Error('the family has no case')
  const named = (firstBlock?: string): Case => ({
    asset,
    deployments: { [asset]: { htlc: null, ...(firstBlock !== undefined && { firstBlock }) } },
    well: (chain, time) => ({ ...well(chain, time), '/block-height/0': networkOf(chain.reference).genesisHash, '/block-height/1': hash }),
    elsewhere: {},
    without: null,
  })
  expect(await problemOf(named(hash), (answers) => answers)).toBeNull()
  for (const other of [undefined, '13'.repeat(32)])
    expect(await problemOf(named(other), (answers) => answers)).toMatch(/another signet than Alpen signet: its block 1 is 1212/)
})

test('every family is here', async () => {
  const families = await Promise.all(cases.map(async ({ asset, deployments }) => (await pinnedAsset(asset, deployments)).chain.family))
  expect(families.toSorted()).toEqual([...new Set(localChains.map(({ family }) => family))].toSorted())
})

test.each(cases)('$asset: a node that is well passes', async (one) => {
  expect(await problemOf(one, (well) => well)).toBeNull()
})

test.each(cases)('$asset: one that does not answer', async (one) => {
  const dead = async () => {
    throw new TypeError('fetch failed')
  }
  expect(await problemOf(one, (well) => well, { fetch: dead })).toMatch(/^NodeError: /)
  expect(await problemOf(one, (well) => well, { fetch: async () => new Response('bad gateway', { status: 502 }) })).toMatch(/^NodeError: /)
})

test.each(cases)('$asset: one of another network', async (one) => {
  expect(await problemOf(one, (well) => ({ ...well, ...one.elsewhere }))).toMatch(/^NodeError: the node (serves|is on) /)
})

test.each(cases)('$asset: one that stands still', async (one) => {
  expect(await problemOf(one, (well) => well, { age: LONG_AGO })).toMatch(/^NodeError: the newest block of .* is \d+ seconds old/)
})

test.each(cases.filter(({ without }) => without !== null))('$asset: one that does not show our contract', async (one) => {
  expect(await problemOf(one, (well) => ({ ...well, ...one.without }))).toMatch(/^NodeError: /)
})
