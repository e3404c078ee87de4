/** Simulates providers in front of one local chain. Tests make them die, fall behind or lie. */

import {
  type ConnectProviders,
  honest,
  type Behaviour as KitBehaviour,
  type TestProvider as KitTestProvider,
  lyingAbout as lying,
  startTestProvider as startProvider,
  startTestProviders,
  type TestProviders,
} from '@tandem/chain-kit/testing/providers.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { encodeAbiParameters, encodeEventTopics, type Hex, keccak256, numberToHex } from 'viem'
import { htlcErc20 } from '../../contract/artifacts/htlc-erc20.ts'
import { EdrRequestError } from '../../local/edr-provider.ts'
import type { EvmChain } from '../../local/evm-chain.ts'
import { startJsonRpcServer } from '../../local/json-rpc-server.ts'
import { canonicalTerms, type HtlcContract, orderIdOf } from '../../terms/htlc.ts'

type Behaviour = KitBehaviour<readonly unknown[]>
export type TestProvider = KitTestProvider<Behaviour>

export const lyingAbout = lying<readonly unknown[], unknown>

export function startTestProvider(chain: Pick<EvmChain, 'request'>): Promise<TestProvider> {
  return startProvider((answer) =>
    startJsonRpcServer(
      async ({ method, params = [] }) => answer(method, params, (...asked) => chain.request({ method: asked[0], params: asked[1] })),
      0,
    ),
  )
}

export function behindBy(blocks: bigint): Behaviour {
  return lacking(async (ask) => BigInt(String(await ask('eth_blockNumber', []))) - blocks)
}

/** The state is that of the newest block, except on chains whose nodes know only the newest state. */
function lacking(newestOf: (ask: Parameters<Behaviour>[2]) => Promise<bigint>, hasOldState = true): Behaviour {
  return async (method, params, ask) => {
    const newest = await newestOf(ask)
    const own = `0x${newest.toString(16)}`
    const isNew = (number: unknown) => typeof number === 'string' && number.startsWith('0x') && BigInt(number) > newest
    const [first] = params
    if (method === 'eth_blockNumber') return own
    if (method === 'eth_getBlockByNumber' && isNew(first)) return null
    if (method === 'eth_getLogs' && typeof first === 'object' && first !== null && 'blockHash' in first) {
      const block = await ask('eth_getBlockByHash', [first.blockHash, false])
      if (block === null || isNew((block as { number: string }).number))
        throw new EdrRequestError({ code: -32_000, message: 'unknown block' })
    }
    if (!hasOldState && method !== 'eth_getBlockByNumber') return ask(method, params)
    return ask(
      method,
      params.map((param) => (param === 'latest' ? own : param)),
    )
  }
}

export function refusing(code: number, message: string): Behaviour {
  return () => Promise.reject(new EdrRequestError({ code, message }))
}

export function forgedInitiation(
  contract: HtlcContract,
  terms: HtlcTerms,
  block: { readonly height: bigint; readonly hash: string },
): Behaviour {
  const orderId = orderIdOf(contract, terms)
  const event = htlcErc20.abi.find((item) => item.type === 'event' && item.name === 'Initiated')
  if (event?.type !== 'event') throw new Error('the contract has no such event')
  const args: Readonly<Record<string, unknown>> = { orderId, ...canonicalTerms(terms) }
  const plain = event.inputs.filter(({ indexed }) => !indexed)
  const log = {
    address: contract.address,
    topics: encodeEventTopics({ abi: [event], args }),
    data: encodeAbiParameters(plain, plain.map(({ name }) => args[name]) as never),
    blockNumber: numberToHex(block.height),
    blockHash: block.hash,
    transactionHash: keccak256(orderId),
    transactionIndex: '0x0',
    logIndex: '0x0',
    removed: false,
  }
  const isOfBlock = ([filter]: readonly unknown[]) =>
    typeof filter === 'object' && filter !== null && (('blockHash' in filter && filter.blockHash === block.hash) || 'fromBlock' in filter)
  return lyingAbout({
    eth_getLogs: (params, truth) => (isOfBlock(params) ? [...(truth as unknown[]), log] : truth),
    eth_getBlockByNumber: (_, truth) =>
      isBlock(truth, block.hash) ? { ...truth, transactions: [log.transactionHash], gasUsed: '0xffff' } : truth,
    eth_getTransactionReceipt: () => ({ status: '0x1', blockNumber: log.blockNumber, blockHash: block.hash, logs: [log] }),
    ...shownHtlc(orderId, 'open'),
  })
}

function shownHtlc(orderId: string, as: 'open' | 'absent') {
  const answer = encodeAbiParameters([{ type: 'uint256' }], [as === 'open' ? 1_700_000_000n : 0n])
  return { eth_call: ([call]: readonly unknown[], truth: unknown) => (isAbout(call, orderId) ? answer : truth) }
}

function isAbout(call: unknown, orderId: string): boolean {
  return JSON.stringify(call).includes(orderId.slice(2))
}

type ProvidersSetup = {
  start(): Promise<TestProvider>
  readonly connect: ConnectProviders
  forged(terms: HtlcTerms): readonly [HtlcContract, HtlcTerms]
  /** The default is true. */
  readonly hasOldState?: boolean
}

export function openTestProviders({ start, connect, forged, hasOldState = true }: ProvidersSetup): Promise<TestProviders> {
  return startTestProviders<Behaviour>({
    start,
    connect,
    honest,
    behaviours: {
      'stops-at': ({ newest }) => lacking(async () => newest.height, hasOldState),
      'forges-block': ({ block }) => forgedBlock(block.hash),
      'forges-initiation': ({ terms, newest }) => forgedInitiation(...forged(terms), newest),
      'hides-events': () => lyingAbout({ eth_getLogs: () => [] }),
      'shows-htlc': ({ terms, as }) => lyingAbout(shownHtlc(orderIdOf(...forged(terms)), as)),
    },
  })
}

function forgedBlock(hash: string): Behaviour {
  return lyingAbout({ eth_getBlockByNumber: (_, truth) => (isBlock(truth, hash) ? { ...truth, hash: keccak256(hash as Hex) } : truth) })
}

function isBlock(answer: unknown, hash: string): answer is object {
  return typeof answer === 'object' && answer !== null && 'hash' in answer && answer.hash === hash
}
