/** Simulates providers in front of one local chain. Tests make them die, fall behind or lie. */
import { randomBytes } from 'node:crypto'
import { GrpcTypes } from '@mysten/sui/grpc'
import { toBase58 } from '@mysten/sui/utils'
import {
  type ConnectProviders,
  honest,
  type Behaviour as KitBehaviour,
  startTestProvider as startProvider,
  startTestProviders,
  type TestProvider,
  type TestProviders,
} from '@tandem/chain-kit/testing/providers.fixture.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { encodeEvent, eventType } from '../../contract/client/events.ts'
import { startGrpcServer } from '../../local/grpc/server.ts'
import { answerBytes } from '../../local/grpc/services.ts'
import { GrpcError } from '../../local/grpc/status.ts'
import type { SuiChain } from '../../local/sui-chain.ts'
import { orderTermsOf, swapIdOf } from '../../terms/htlc.ts'
import { orderFieldId } from '../contract-state.ts'
import type { Deployed } from '../deployments.ts'

type Behaviour = KitBehaviour<object, Promise<object>>

export function startTestProvider(chain: SuiChain): Promise<TestProvider<Behaviour>> {
  return startProvider((behave) =>
    startGrpcServer(
      answerBytes(async (path, request) => {
        const ask = async (_: string, forwarded: object) => {
          const [answer] = await chain.answer(path, forwarded)
          if (answer === undefined) throw new Error('the chain gave no answer')
          return answer
        }
        return [await behave(path.slice(path.lastIndexOf('/') + 1), request, ask)]
      }),
      0,
    ),
  )
}

type CheckpointAnswer = GrpcTypes.GetCheckpointResponse

function changingCheckpoints(change: (checkpoint: GrpcTypes.Checkpoint) => GrpcTypes.Checkpoint): Behaviour {
  return async (method, request, ask) => {
    const truth = await ask(method, request)
    const { checkpoint } = truth as CheckpointAnswer
    return method === 'GetCheckpoint' && checkpoint !== undefined ? { checkpoint: change(checkpoint) } : truth
  }
}

const hidingEvents = changingCheckpoints((checkpoint) => ({ ...checkpoint, transactions: [] }))

/** The provider has no checkpoint after this one. Its objects are the newest of the chain: a node knows only the newest state. */
function stoppedAt({ height }: Block): Behaviour {
  return async (method, request, ask) => {
    if (method === 'GetCheckpoint') {
      const { checkpointId } = request as GrpcTypes.GetCheckpointRequest
      if (checkpointId.oneofKind === undefined)
        return ask(method, { ...request, checkpointId: { oneofKind: 'sequenceNumber', sequenceNumber: height } })
      if (checkpointId.oneofKind === 'sequenceNumber' && checkpointId.sequenceNumber > height)
        throw new GrpcError('NOT_FOUND', `Checkpoint ${checkpointId.sequenceNumber} not found`)
    }
    const truth = await ask(method, request)
    const { transaction } = truth as GrpcTypes.GetTransactionResponse
    if (method === 'GetTransaction' && (transaction?.checkpoint ?? 0n) > height) throw new GrpcError('NOT_FOUND', 'Transaction not found')
    return truth
  }
}

function forgedBlock(hash: string): Behaviour {
  const digest = randomDigest()
  return changingCheckpoints((checkpoint) => (checkpoint.digest === hash ? { ...checkpoint, digest } : checkpoint))
}

function forgedInitiation(deployed: Deployed, terms: HtlcTerms, newest: Block): Behaviour {
  const { registry, packageId } = deployed
  const event = {
    kind: 'initiated',
    registry,
    orderId: swapIdOf(deployed, terms),
    terms: orderTermsOf(terms),
    initiatedAt: newest.time * 1000n,
  } as const
  const { name, contents } = encodeEvent(event)
  const forged = GrpcTypes.ExecutedTransaction.create({
    digest: randomDigest(),
    events: { events: [{ packageId, module: 'htlc', eventType: eventType(packageId, name), contents: { value: contents } }] },
  })
  const inCheckpoint = changingCheckpoints((checkpoint) =>
    checkpoint.sequenceNumber === newest.height ? { ...checkpoint, transactions: [...checkpoint.transactions, forged] } : checkpoint,
  )
  return async (method, request, ask) =>
    method === 'GetTransaction' && (request as GrpcTypes.GetTransactionRequest).digest === forged.digest
      ? { transaction: forged }
      : inCheckpoint(method, request, ask)
}

function shownHtlc(deployed: Deployed, terms: HtlcTerms, as: 'open' | 'absent'): Behaviour {
  const { registry, packageId, coinType } = deployed
  const field = orderFieldId(registry, swapIdOf(deployed, terms))
  const object = GrpcTypes.Object.create({
    objectId: field,
    objectType: `0x2::dynamic_field::Field<vector<u8>, ${packageId}::htlc::Order<${coinType}>>`,
    owner: { kind: GrpcTypes.Owner_OwnerKind.OBJECT, address: registry },
  })
  return async (method, request, ask) => {
    if (method !== 'GetObject' || (request as GrpcTypes.GetObjectRequest).objectId !== field) return ask(method, request)
    if (as === 'absent') throw new GrpcError('NOT_FOUND', `Object ${field} not found`)
    return { object }
  }
}

function randomDigest(): string {
  return toBase58(randomBytes(32))
}

export function openTestProviders(chain: SuiChain, connect: ConnectProviders, deployed: Deployed): Promise<TestProviders> {
  return startTestProviders<Behaviour>({
    start: () => startTestProvider(chain),
    connect,
    honest,
    behaviours: {
      'stops-at': ({ newest }) => stoppedAt(newest),
      'forges-block': ({ block }) => forgedBlock(block.hash),
      'forges-initiation': ({ terms, newest }) => forgedInitiation(deployed, terms, newest),
      'hides-events': () => hidingEvents,
      'shows-htlc': ({ terms, as }) => shownHtlc(deployed, terms, as),
    },
  })
}
