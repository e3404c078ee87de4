/** Makes a node of one provider: it parses the answers of the JSON-RPC. */
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { type Json, list, malformed, record, text } from '@tandem/chain-kit/providers/json.ts'
import { felt, felts, quantity } from './json.ts'
import {
  type EmittedEvent,
  type FeeEstimate,
  type Felt,
  type NodeCall,
  NodeRefusal,
  type Outcome,
  type StarknetNode,
  type WireTransaction,
} from './node.ts'
import { createBlockReader } from './read-blocks.ts'
import { createEventPages } from './read-events.ts'
import { asUnreachable, codes, createRpc, type Rpc } from './rpc.ts'

const LATEST = { block_id: 'latest' } as const
const MAX_REASON_LENGTH = 500

const sending = {
  INVOKE: ['starknet_addInvokeTransaction', 'invoke_transaction'],
  DEPLOY_ACCOUNT: ['starknet_addDeployAccountTransaction', 'deploy_account_transaction'],
  DECLARE: ['starknet_addDeclareTransaction', 'declare_transaction'],
} as const satisfies Record<WireTransaction['type'], readonly [string, string]>

export function createProviderNode(endpoint: Endpoint, timeoutMs: number): StarknetNode {
  const rpc = createRpc(endpoint, timeoutMs)
  const blocks = createBlockReader(rpc)

  const call = async ({ to, selector, calldata }: NodeCall) =>
    felts(await rpc.request('starknet_call', { request: { contract_address: to, entry_point_selector: selector, calldata }, ...LATEST }))

  return {
    ...blocks,
    events: createEventPages(rpc, blocks.block),
    chainId: async () => shortText(felt(await rpc.read('starknet_chainId', {}))),
    specVersion: async () => text(await rpc.read('starknet_specVersion', {})),

    classHashAt: (address) =>
      unless(rpc, codes.contractNotFound, null, 'starknet_getClassHashAt', { contract_address: address, ...LATEST }, felt),
    isDeclared: (classHash) =>
      unless(rpc, codes.classHashNotFound, false, 'starknet_getClass', { class_hash: classHash, ...LATEST }, (answer) => {
        record(answer)
        return true
      }),
    call,
    async callAmount(asked, amountOf) {
      const answer = await call(asked)
      try {
        return amountOf(answer)
      } catch {
        throw new NodeRefusal(0, 'the answer is not an amount: is the contract there?')
      }
    },
    nonce: (address) => unless(rpc, codes.contractNotFound, 0n, 'starknet_getNonce', { contract_address: address, ...LATEST }, quantity),

    outcome: (tx) => unless(rpc, codes.transactionNotFound, null, 'starknet_getTransactionStatus', { transaction_hash: tx }, outcomeIn),

    emitted: async (tx) => emittedIn(await rpc.read('starknet_getTransactionReceipt', { transaction_hash: tx })),

    async estimate(transaction, { validates }) {
      const flags = validates ? [] : ['SKIP_VALIDATE']
      const answer = await rpc.request('starknet_estimateFee', { request: [transaction], simulation_flags: flags, ...LATEST })
      const [estimate, ...more] = list(answer)
      if (more.length > 0) throw malformed('one estimate')
      return parseEstimate(record(estimate))
    },
    async broadcast(transaction) {
      const [method, name] = sending[transaction.type]
      try {
        await rpc.send(method, { [name]: transaction })
      } catch (error) {
        // The node has the transaction from an earlier broadcast.
        if (!(error instanceof NodeRefusal) || error.code !== codes.duplicateTransaction) throw error
      }
    },
    close: rpc.close,
  }
}

/** The result is `absent` if the node refuses with `code`. Any other refusal says nothing about the chain. */
async function unless<T, A>(
  rpc: Rpc,
  code: number,
  absent: A,
  method: string,
  params: Json,
  parse: (answer: unknown) => T,
): Promise<T | A> {
  const answer = await rpc.request(method, params).catch((error: unknown) => {
    if (error instanceof NodeRefusal) return error
    throw error
  })
  if (!(answer instanceof NodeRefusal)) return parse(answer)
  if (answer.code === code) return absent
  throw asUnreachable(method, answer)
}

/** Nodes before version 0.9 also report transactions that the sequencer rejected. */
function outcomeIn(answer: unknown): Outcome {
  const { finality_status: finality, execution_status: execution, failure_reason } = record(answer)
  const reason = typeof failure_reason === 'string' ? failure_reason.slice(-MAX_REASON_LENGTH) : ''
  switch (finality) {
    case 'RECEIVED':
    case 'CANDIDATE':
    case 'PRE_CONFIRMED':
      return { kind: 'pending' }
    case 'REJECTED':
      return { kind: 'rejected', reason }
    case 'ACCEPTED_ON_L2':
    case 'ACCEPTED_ON_L1':
      if (execution === 'SUCCEEDED') return { kind: 'succeeded' }
      if (execution === 'REVERTED') return { kind: 'reverted', reason }
      throw malformed('an execution status')
    default:
      throw malformed('a finality status')
  }
}

/** A receipt of a pre-confirmed block has no hash of the block: it may still change. */
function emittedIn(answer: unknown): readonly EmittedEvent[] {
  const { block_hash: block, events } = record(answer)
  if (block === undefined || block === null) throw malformed('a receipt in a block')
  return list(events).map((event) => {
    const { from_address: address, keys } = record(event)
    return { address: felt(address), keys: felts(keys) }
  })
}

function parseEstimate(estimate: Json): FeeEstimate {
  if (estimate.unit !== 'FRI') throw malformed('a fee in FRI')
  const of = (kind: 'consumed' | 'price') => ({
    l1Gas: quantity(estimate[`l1_gas_${kind}`]),
    l1DataGas: quantity(estimate[`l1_data_gas_${kind}`]),
    l2Gas: quantity(estimate[`l2_gas_${kind}`]),
  })
  return { gas: of('consumed'), prices: of('price'), fee: quantity(estimate.overall_fee) }
}

function shortText(value: Felt): string {
  const digits = value.slice(2)
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString('latin1')
}
