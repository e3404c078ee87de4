/** Simulates providers in front of one local chain. Tests make them die, fall behind or lie. */

import { randomBytes } from 'node:crypto'
import { RpcError } from '@tandem/chain-kit/local/json-rpc.ts'
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
import { initiatedAtCall } from '../../contract/client/calls.ts'
import { encodeEvent } from '../../contract/client/events.ts'
import { blockNotFound } from '../../local/rpc/rpc-error.ts'
import { startRpcServer } from '../../local/rpc/rpc-server.ts'
import type { StarknetChain } from '../../local/starknet-chain.ts'
import { type HtlcContract, orderIdOf, orderTermsOf } from '../../terms/htlc.ts'
import type { Felt } from './node.ts'

type Params = Readonly<Record<string, unknown>>
type Behaviour = KitBehaviour<Params>
export type TestProvider = KitTestProvider<Behaviour>

export const lyingAbout = lying<Params, unknown>

export function startTestProvider(chain: Pick<StarknetChain, 'answer'>): Promise<TestProvider> {
  return startProvider((answer) => {
    const http = (method: string, params: unknown) => answer(method, params as Params, chain.answer)
    return startRpcServer({ http, socket: (_, ...request) => http(...request), disconnected: () => undefined }, 0)
  })
}

export function refusing(code: number, message: string): Behaviour {
  return () => {
    throw new RpcError(code, message)
  }
}

type Numbered = { readonly block_number?: number; readonly block_hash?: string }

/** The provider has no block after this height. Its state is the state of that block. */
export function stoppedAt(newest: bigint): Behaviour {
  const last = Number(newest)
  const heightOf = (id: unknown, ask: Parameters<Behaviour>[2]): number => {
    const { block_number, block_hash } = id as Numbered
    if (block_hash === undefined) return block_number ?? last
    return (ask('starknet_getBlockWithTxHashes', { block_id: id }) as Required<Numbered>).block_number
  }
  return (method, params, ask) => {
    if (method === 'starknet_getEvents') {
      const filter = params.filter as Readonly<Record<string, unknown>>
      if (heightOf(filter.from_block, ask) > last) throw blockNotFound()
      const to_block = heightOf(filter.to_block, ask) > last ? { block_number: last } : filter.to_block
      return ask(method, { filter: { ...filter, to_block } })
    }
    if (method === 'starknet_getTransactionStatus') {
      const status = ask(method, params)
      const mined = ask('starknet_getTransactionReceipt', params) as Numbered
      return mined.block_number !== undefined && mined.block_number > last ? { finality_status: 'RECEIVED' } : status
    }
    const { block_id } = params ?? {}
    if (block_id === 'latest') return ask(method, { ...params, block_id: { block_number: last } })
    if (typeof block_id === 'object' && heightOf(block_id, ask) > last) throw blockNotFound()
    return ask(method, params)
  }
}

function forgedBlock(hash: string): Behaviour {
  const block_hash = `0x${randomBytes(30).toString('hex')}`
  return lyingAbout({
    starknet_getBlockWithTxHashes: (_, truth) => ((truth as Numbered).block_hash === hash ? { ...(truth as object), block_hash } : truth),
  })
}

/** The initiation is invented in a real block: its event, its status and the state of the contract. */
function forgedInitiation(contract: HtlcContract, terms: HtlcTerms, block: { readonly height: bigint; readonly hash: string }): Behaviour {
  const orderId = orderIdOf(contract, terms)
  const event = {
    from_address: contract.address,
    ...encodeEvent({ kind: 'initiated', orderId, terms: orderTermsOf(terms) }),
    block_hash: block.hash,
    block_number: Number(block.height),
    transaction_hash: orderId,
    transaction_index: 0,
    event_index: 0,
  }
  const isAsked = ({ filter }: Params) => {
    const { from_block, to_block } = filter as { from_block: Numbered; to_block: Numbered }
    if (from_block.block_hash !== undefined) return from_block.block_hash === block.hash
    return (from_block.block_number ?? 0) <= event.block_number && (to_block.block_number ?? 0) >= event.block_number
  }
  return lyingAbout({
    starknet_getEvents: (params, truth) =>
      isAsked(params) ? { ...(truth as object), events: [...(truth as { events: unknown[] }).events, event] } : truth,
    starknet_getTransactionStatus: () => ({ finality_status: 'ACCEPTED_ON_L2', execution_status: 'SUCCEEDED' }),
    ...shownHtlc(contract, terms, 'open'),
  })
}

function shownHtlc(contract: HtlcContract, terms: HtlcTerms, as: 'open' | 'absent') {
  const orderId = orderIdOf(contract, terms)
  const { selector } = initiatedAtCall(contract.address, orderId)
  return {
    starknet_call({ request }: Params, truth: unknown) {
      const { entry_point_selector, calldata } = request as { entry_point_selector: Felt; calldata: readonly Felt[] }
      return entry_point_selector === selector && calldata[0] === orderId ? [as === 'open' ? '0x6553f100' : '0x0'] : truth
    },
  }
}

type ProvidersSetup = {
  readonly chain: Pick<StarknetChain, 'answer'>
  readonly connect: ConnectProviders
  readonly contract: HtlcContract
}

export function openTestProviders({ chain, connect, contract }: ProvidersSetup): Promise<TestProviders> {
  return startTestProviders<Behaviour>({
    start: () => startTestProvider(chain),
    connect,
    honest,
    behaviours: {
      'stops-at': ({ newest }) => stoppedAt(newest.height),
      'forges-block': ({ block }) => forgedBlock(block.hash),
      'forges-initiation': ({ terms, newest }) => forgedInitiation(contract, terms, newest),
      'hides-events': () => lyingAbout({ starknet_getEvents: () => ({ events: [] }) }),
      'shows-htlc': ({ terms, as }) => lyingAbout(shownHtlc(contract, terms, as)),
    },
  })
}
