/** Makes a node of one provider: it parses the answers of the gRPC. */
import { GrpcTypes } from '@mysten/sui/grpc'
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { inParallel } from '@tandem/chain-kit/providers/in-parallel.ts'
import { RateLimited, Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import { createGrpcWeb, type GrpcWeb, type Method, status } from './grpc-web.ts'
import type { BroadcastVerdict, NodeCheckpoint, NodeEvent, SuiNode } from './node.ts'
import {
  address,
  eventTypesOf,
  milliseconds,
  parseBlock,
  parseCoin,
  parseEvents,
  parseFailure,
  parseObject,
  parseSimulation,
  required,
  structType,
} from './parse.ts'

const LEDGER = 'sui.rpc.v2.LedgerService'
const STATE = 'sui.rpc.v2.StateService'
const EXECUTION = 'sui.rpc.v2.TransactionExecutionService'

const methods = {
  getServiceInfo: method(LEDGER, 'GetServiceInfo', {
    request: GrpcTypes.GetServiceInfoRequest,
    response: GrpcTypes.GetServiceInfoResponse,
  }),
  getCheckpoint: method(LEDGER, 'GetCheckpoint', { request: GrpcTypes.GetCheckpointRequest, response: GrpcTypes.GetCheckpointResponse }),
  getObject: method(LEDGER, 'GetObject', { request: GrpcTypes.GetObjectRequest, response: GrpcTypes.GetObjectResponse }),
  getTransaction: method(LEDGER, 'GetTransaction', {
    request: GrpcTypes.GetTransactionRequest,
    response: GrpcTypes.GetTransactionResponse,
  }),
  getEpoch: method(LEDGER, 'GetEpoch', { request: GrpcTypes.GetEpochRequest, response: GrpcTypes.GetEpochResponse }),
  listOwnedObjects: method(STATE, 'ListOwnedObjects', {
    request: GrpcTypes.ListOwnedObjectsRequest,
    response: GrpcTypes.ListOwnedObjectsResponse,
  }),
  getBalance: method(STATE, 'GetBalance', { request: GrpcTypes.GetBalanceRequest, response: GrpcTypes.GetBalanceResponse }),
  getCoinInfo: method(STATE, 'GetCoinInfo', { request: GrpcTypes.GetCoinInfoRequest, response: GrpcTypes.GetCoinInfoResponse }),
  execute: method(EXECUTION, 'ExecuteTransaction', {
    request: GrpcTypes.ExecuteTransactionRequest,
    response: GrpcTypes.ExecuteTransactionResponse,
  }),
  simulate: method(EXECUTION, 'SimulateTransaction', {
    request: GrpcTypes.SimulateTransactionRequest,
    response: GrpcTypes.SimulateTransactionResponse,
  }),
} as const

const HEADER = ['sequence_number', 'digest', 'summary.timestamp', 'summary.previous_digest']
const EVENT_TYPES = ['transactions.digest', 'transactions.events.events.event_type']
const EVENT_CONTENTS = [...EVENT_TYPES, 'transactions.events.events.contents']
const EVENTS = ['digest', 'events.events.event_type', 'events.events.contents']
const STATUS = ['status', 'gas_used'].map((field) => `transaction.effects.${field}`)

/** Anyone can call our package. Up to this many of its transactions are read one by one, more of them with their whole checkpoint. */
const FEW_OURS = 4

const AT_ONCE = 16

/** Nodes list the largest coins first: strangers cannot hide ours behind dust. */
const COINS = 200

/** The events of one transaction have up to 65 MB without type names. A redeemer must not hide the secret behind a large answer. */
const MAX_EVENTS_BYTES = 160 * 1024 * 1024
const EVENTS_TIMEOUT_MS = 60_000

const { DOES_NOT_EXIST } = GrpcTypes.ChangedObject_InputObjectState

type CheckpointId = { readonly height: bigint | null; readonly paths: readonly string[] }

/** Some methods reject with a Refusal if this provider cannot answer and another may. */
export function createProviderNode(endpoint: Endpoint, timeoutMs: number): SuiNode {
  const grpc = createGrpcWeb(endpoint, timeoutMs)
  const eventsGrpc = createGrpcWeb(endpoint, Math.max(timeoutMs, EVENTS_TIMEOUT_MS), MAX_EVENTS_BYTES)

  /** A refusal of this request says nothing about the chain, so it is `unreachable`. */
  async function read<Q extends object, A extends object>(method: Method<Q, A>, request: Partial<Q>): Promise<A> {
    const answer = await readOrNull(method, request)
    if (answer === null) throw new ChainFailure('unreachable', `${method.path}: the node does not have it`)
    return answer
  }

  async function readOrNull<Q extends object, A extends object>(
    method: Method<Q, A>,
    request: Partial<Q>,
    from: GrpcWeb = grpc,
  ): Promise<A | null> {
    try {
      return await from.call(method, request)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === status.notFound) return null
      throw new ChainFailure('unreachable', `${method.path}: the node refused (${error.code} ${error.message})`, { cause: error })
    }
  }

  async function checkpoint({ height, paths }: CheckpointId) {
    const checkpointId =
      height === null ? ({ oneofKind: undefined } as const) : ({ oneofKind: 'sequenceNumber', sequenceNumber: height } as const)
    const answer = await readOrNull(methods.getCheckpoint, { checkpointId, readMask: { paths: [...paths] } })
    if (answer === null) return null
    const found = required(answer.checkpoint, 'a checkpoint')
    if (height !== null && found.sequenceNumber !== height)
      throw new ChainFailure('unreachable', 'the node answers with another checkpoint')
    return found
  }

  async function block(height: bigint | 'latest'): Promise<Block | null> {
    const found = await checkpoint({ height: height === 'latest' ? null : height, paths: HEADER })
    return found === null ? null : parseBlock(found)
  }

  /**
   * Contents are read of our transactions only: those of strangers may be larger than a node can send. Where many are ours, the whole
   * checkpoint is tried first: a request for each would let strangers, who can call our package for little, use up a node's rate limit.
   */
  async function checkpointWithEvents(height: bigint, packages: ReadonlySet<string>): Promise<NodeCheckpoint> {
    const found = await checkpoint({ height, paths: [...HEADER, ...EVENT_TYPES] })
    if (found === null) throw new Refusal(0, `it does not have checkpoint ${height}`)
    const isOurs = (type: string) => packages.has(type.slice(0, type.indexOf('::')))
    const ours = found.transactions.filter((tx) => eventTypesOf(tx).some(isOurs))
    const contents = ours.length > FEW_OURS ? await contentsIn(found) : null
    const events: NodeEvent[] = []
    for (const { digest } of ours) {
      const known = contents?.get(required(digest, 'a digest'))
      events.push(...(known === undefined ? await eventsOf(digest) : parseEvents(known)).filter(({ type }) => isOurs(type)))
    }
    return { ...parseBlock(found), events }
  }

  /** The result is null if the contents are more than the node can send. */
  async function contentsIn({ sequenceNumber, digest }: GrpcTypes.Checkpoint) {
    try {
      const found = await checkpoint({
        height: required(sequenceNumber, 'a height'),
        paths: ['sequence_number', 'digest', ...EVENT_CONTENTS],
      })
      if (found?.digest !== digest) return null
      return new Map(found?.transactions.map((tx) => [required(tx.digest, 'a digest'), tx]))
    } catch (error) {
      // The answer is too large, or takes too long because of that. Single transactions are never too large.
      if (error instanceof ChainFailure && !(error instanceof RateLimited)) return null
      throw error
    }
  }

  async function eventsOf(tx: string | undefined): Promise<readonly NodeEvent[]> {
    const digest = required(tx, 'a digest')
    const answer = await readOrNull(methods.getTransaction, { digest, readMask: { paths: EVENTS } }, eventsGrpc)
    if (answer === null) throw new Refusal(0, `it does not have transaction ${digest}`)
    const found = required(answer.transaction, 'a transaction')
    if (found.digest !== digest) throw new ChainFailure('unreachable', 'the node answers with another transaction')
    return parseEvents(found)
  }

  const objectAt = async (id: string, paths: readonly string[]) =>
    (await readOrNull(methods.getObject, { objectId: id, readMask: { paths: [...paths] } }))?.object ?? null

  return {
    chainId: async () => required((await read(methods.getServiceInfo, {})).chainId, 'a chain id'),
    block,
    blocks: async (heights) => (await inParallel(heights, block, AT_ONCE)).filter((found) => found !== null),
    checkpoints: (from, to, packages) => {
      const wanted = new Set<string>(packages)
      return inParallel(heightsFrom(from, to), (height) => checkpointWithEvents(height, wanted), AT_ONCE)
    },

    async object(id) {
      const found = await objectAt(id, ['object_type', 'owner', 'contents'])
      return found === null ? null : parseObject(found)
    },
    async versionOf(id) {
      const found = await objectAt(id, ['version'])
      return found === null ? null : required(found.version, 'a version')
    },
    async modules(id) {
      const found = await objectAt(id, ['object_type', 'package.modules'])
      if (found?.package === undefined) return null
      return new Map(found.package.modules.map(({ name, contents }) => [required(name, 'a name'), required(contents, 'bytecode')]))
    },
    async publication(id) {
      const found = await objectAt(id, ['object_type', 'previous_transaction'])
      if (found === null || found.objectType !== 'package') return null
      const digest = required(found.previousTransaction, 'the transaction that wrote it')
      const answer = await readOrNull(methods.getTransaction, { digest, readMask: { paths: ['transaction.bcs'] } })
      if (answer === null)
        throw new ChainFailure('unreachable', `the node has pruned ${digest}, which published ${id}: use one with the whole history`)
      return required(answer.transaction?.transaction?.bcs?.value, 'a transaction')
    },
    async coins(owner, coinType) {
      const { objects } = await read(methods.listOwnedObjects, {
        owner,
        objectType: `0x2::coin::Coin<${coinType}>`,
        pageSize: COINS,
        readMask: { paths: ['object_id', 'version', 'digest', 'balance'] },
      })
      return objects.map(parseCoin)
    },
    async balance(owner, coinType) {
      const { balance } = await read(methods.getBalance, { owner, coinType })
      // Our transactions cannot spend amounts that are in no coin.
      return balance?.coinBalance ?? balance?.balance ?? 0n
    },
    decimals: async (coinType) => (await readOrNull(methods.getCoinInfo, { coinType }))?.metadata?.decimals ?? null,
    async epoch() {
      const { epoch } = await read(methods.getEpoch, { readMask: { paths: ['epoch', 'start', 'reference_gas_price'] } })
      return {
        number: required(epoch?.epoch, 'an epoch'),
        startMs: milliseconds(epoch?.start),
        gasPrice: required(epoch?.referenceGasPrice, 'a gas price'),
      }
    },

    async outcome(tx) {
      const answer = await readOrNull(methods.getTransaction, {
        digest: tx,
        readMask: { paths: ['digest', 'checkpoint', 'effects.status'] },
      })
      const found = answer?.transaction
      return found === undefined ? null : { checkpoint: found.checkpoint ?? null, failure: parseFailure(found.effects?.status) }
    },
    async created(tx) {
      const { transaction } = await read(methods.getTransaction, { digest: tx, readMask: { paths: ['effects.changed_objects'] } })
      const changed = required(transaction?.effects, 'effects').changedObjects
      return changed.flatMap(({ objectId, objectType, inputState }) =>
        inputState === DOES_NOT_EXIST ? [{ id: address(objectId), type: structType(objectType) }] : [],
      )
    },
    async simulate(bytes) {
      return parseSimulation(await read(methods.simulate, { transaction: transactionOf(bytes), readMask: { paths: STATUS } }))
    },
    async broadcast({ bytes, signature }): Promise<BroadcastVerdict> {
      try {
        await grpc.call(methods.execute, {
          transaction: transactionOf(bytes),
          signatures: [{ bcs: { value: signature }, signature: { oneofKind: undefined } }],
          readMask: { paths: ['effects.status'] },
        })
        return { kind: 'accepted' }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return { kind: 'refused', isPartlyAccepted: false, reason: error.message }
      }
    },
    close() {
      grpc.close()
      eventsGrpc.close()
    },
  }
}

function transactionOf(bytes: Uint8Array) {
  return { bcs: { value: bytes } }
}

function heightsFrom(from: bigint, to: bigint): readonly bigint[] {
  return Array.from({ length: Number(to - from) + 1 }, (_, i) => from + BigInt(i))
}

function method<Q extends object, A extends object>(service: string, name: string, types: Omit<Method<Q, A>, 'path'>): Method<Q, A> {
  return { path: `${service}/${name}`, ...types }
}
