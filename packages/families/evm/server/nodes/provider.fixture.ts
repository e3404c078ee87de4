/** Simulated providers in front of one local chain. Tests make them die, fall behind or lie. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { startTestProviders, type TestProviders } from '@tandem/chain-kit/testing/providers.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { encodeAbiParameters, encodeEventTopics, type Hex, keccak256, numberToHex } from 'viem'
import { htlcErc20 } from '../../contract/artifacts/htlc-erc20.ts'
import { EdrRequestError, type JsonRpcCall } from '../../local/edr-provider.ts'
import type { EvmChain } from '../../local/evm-chain.ts'
import { startJsonRpcServer } from '../../local/json-rpc-server.ts'
import { canonicalTerms, type HtlcContract, orderIdOf } from '../../terms/htlc.ts'

type Ask = (call: JsonRpcCall) => Promise<unknown>
/** Answers a request; `ask` forwards one to the chain. */
export type Behaviour = (call: JsonRpcCall, ask: Ask) => Promise<unknown>

export interface TestProvider {
  readonly url: string
  /** The methods of all requests. */
  readonly asked: string[]
  behave(behaviour: Behaviour): void
  setOffline(offline: boolean): void
  /** Delays every answer. */
  setDelay(delayMs: number): void
  close(): Promise<void>
}

export const honest: Behaviour = (call, ask) => ask(call)

export async function startTestProvider(chain: Pick<EvmChain, 'request'>): Promise<TestProvider> {
  let behaviour = honest
  const asked: string[] = []
  const handle = (call: JsonRpcCall) => {
    asked.push(call.method)
    return behaviour(call, chain.request)
  }
  const server = await startJsonRpcServer(handle, 0)
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    behave(next) {
      behaviour = next
    },
    setOffline: server.setOffline,
    setDelay: server.setDelay,
    close: server.close,
  }
}

/** Lacks the last blocks. */
export function behindBy(blocks: bigint): Behaviour {
  return lacking(async (ask) => BigInt(String(await ask({ method: 'eth_blockNumber' }))) - blocks)
}

/** `newest`: the height of its newest block. Its state is the state of that block, except on chains whose nodes know only the newest state. */
function lacking(newestOf: (ask: Ask) => Promise<bigint>, hasOldState = true): Behaviour {
  return async ({ method, params = [] }, ask) => {
    const newest = await newestOf(ask)
    const own = `0x${newest.toString(16)}`
    const isNew = (number: unknown) => typeof number === 'string' && number.startsWith('0x') && BigInt(number) > newest
    const [first] = params
    if (method === 'eth_blockNumber') return own
    if (method === 'eth_getBlockByNumber' && isNew(first)) return null
    if (method === 'eth_getLogs' && typeof first === 'object' && first !== null && 'blockHash' in first) {
      const block = await ask({ method: 'eth_getBlockByHash', params: [first.blockHash, false] })
      if (block === null || isNew((block as { number: string }).number))
        throw new EdrRequestError({ code: -32_000, message: 'unknown block' })
    }
    if (!hasOldState && method !== 'eth_getBlockByNumber') return ask({ method, params })
    return ask({ method, params: params.map((param) => (param === 'latest' ? own : param)) })
  }
}

export function refusing(code: number, message: string): Behaviour {
  return () => Promise.reject(new EdrRequestError({ code, message }))
}

/** Changes the answers of these methods; all others are honest. */
export function lyingAbout(lies: Readonly<Record<string, (params: readonly unknown[], truth: unknown) => unknown>>): Behaviour {
  return async (call, ask) => {
    const truth = await ask(call)
    return lies[call.method]?.(call.params ?? [], truth) ?? truth
  }
}

/** Forges an initiation in a real block: its log, its receipt and the state of the contract. */
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

/** The state of the contract. */
function shownHtlc(orderId: string, as: 'open' | 'absent') {
  const answer = encodeAbiParameters([{ type: 'uint256' }], [as === 'open' ? 1_700_000_000n : 0n])
  return { eth_call: ([call]: readonly unknown[], truth: unknown) => (isAbout(call, orderId) ? answer : truth) }
}

function isAbout(call: unknown, orderId: string): boolean {
  return JSON.stringify(call).includes(orderId.slice(2))
}

/** What the conformance suite needs from a family whose nodes have the Ethereum JSON-RPC. */
type ProvidersSetup = {
  start(): Promise<TestProvider>
  connect(urls: readonly string[], options: Parameters<TestProviders['connect']>[1]): ChainClient
  /** The contract and the terms in its own form. */
  forged(terms: HtlcTerms): readonly [HtlcContract, HtlcTerms]
  /** Default: true. */
  readonly hasOldState?: boolean
}

export function openTestProviders({ start, connect, forged, hasOldState = true }: ProvidersSetup): Promise<TestProviders> {
  return startTestProviders<Behaviour>({
    start,
    connect,
    honest,
    behaviourOf(how) {
      switch (how.kind) {
        case 'stops-at':
          return lacking(async () => how.newest.height, hasOldState)
        case 'forges-block':
          return forgedBlock(how.block.hash)
        case 'forges-initiation':
          return forgedInitiation(...forged(how.terms), how.newest)
        case 'hides-events':
          return lyingAbout({ eth_getLogs: () => [] })
        case 'shows-htlc':
          return lyingAbout(shownHtlc(orderIdOf(...forged(how.terms)), how.as))
      }
    },
  })
}

/** Another block in place of the one with this hash. */
function forgedBlock(hash: string): Behaviour {
  return lyingAbout({ eth_getBlockByNumber: (_, truth) => (isBlock(truth, hash) ? { ...truth, hash: keccak256(hash as Hex) } : truth) })
}

function isBlock(answer: unknown, hash: string): answer is object {
  return typeof answer === 'object' && answer !== null && 'hash' in answer && answer.hash === hash
}
