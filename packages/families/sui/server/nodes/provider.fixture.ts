/** Simulated providers in front of one local chain. Tests make them die, fall behind or lie. */
import { randomBytes } from 'node:crypto'
import { GrpcTypes } from '@mysten/sui/grpc'
import { toBase58 } from '@mysten/sui/utils'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { startTestProviders, type TestProviders } from '@tandem/chain-kit/testing/providers.fixture.ts'
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

type Ask = (request: object) => Promise<object>
/** Answers a request; `ask` forwards one to the chain. */
type Behaviour = (method: string, request: object, ask: Ask) => Promise<object>

const honest: Behaviour = (_, request, ask) => ask(request)

export interface TestProvider {
  readonly url: string
  /** The methods of all requests. */
  readonly asked: string[]
  behave(behaviour: Behaviour): void
  setOffline(offline: boolean): void
  close(): Promise<void>
}

export async function startTestProvider(chain: SuiChain): Promise<TestProvider> {
  let behaviour = honest
  const asked: string[] = []
  const server = await startGrpcServer(
    answerBytes(async (path, request) => {
      const method = path.slice(path.lastIndexOf('/') + 1)
      asked.push(method)
      const ask: Ask = async (forwarded) => {
        const [answer] = await chain.answer(path, forwarded)
        if (answer === undefined) throw new Error('the chain gave no answer')
        return answer
      }
      return [await behaviour(method, request, ask)]
    }),
    0,
  )
  return {
    url: server.url,
    asked,
    behave(next) {
      behaviour = next
    },
    setOffline: server.setOffline,
    close: server.close,
  }
}

type CheckpointAnswer = GrpcTypes.GetCheckpointResponse

/** Changes the checkpoints that it shows; all other answers are honest. */
function changingCheckpoints(change: (checkpoint: GrpcTypes.Checkpoint) => GrpcTypes.Checkpoint): Behaviour {
  return async (method, request, ask) => {
    const truth = await ask(request)
    const { checkpoint } = truth as CheckpointAnswer
    return method === 'GetCheckpoint' && checkpoint !== undefined ? { checkpoint: change(checkpoint) } : truth
  }
}

const hidingEvents = changingCheckpoints((checkpoint) => ({ ...checkpoint, transactions: [] }))

/** Has no checkpoint after this one. Its objects are as of the newest of the chain: a node knows only the newest state. */
function stoppedAt({ height }: Block): Behaviour {
  return async (method, request, ask) => {
    if (method === 'GetCheckpoint') {
      const { checkpointId } = request as GrpcTypes.GetCheckpointRequest
      if (checkpointId.oneofKind === undefined)
        return ask({ ...request, checkpointId: { oneofKind: 'sequenceNumber', sequenceNumber: height } })
      if (checkpointId.oneofKind === 'sequenceNumber' && checkpointId.sequenceNumber > height)
        throw new GrpcError('NOT_FOUND', `Checkpoint ${checkpointId.sequenceNumber} not found`)
    }
    const truth = await ask(request)
    const { transaction } = truth as GrpcTypes.GetTransactionResponse
    if (method === 'GetTransaction' && (transaction?.checkpoint ?? 0n) > height) throw new GrpcError('NOT_FOUND', 'Transaction not found')
    return truth
  }
}

function forgedBlock(hash: string): Behaviour {
  const digest = randomDigest()
  return changingCheckpoints((checkpoint) => (checkpoint.digest === hash ? { ...checkpoint, digest } : checkpoint))
}

/** A swap that nobody initiated, in a real checkpoint. */
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

/** The field of the registry that holds the order. */
function shownHtlc(deployed: Deployed, terms: HtlcTerms, as: 'open' | 'absent'): Behaviour {
  const { registry, packageId, coinType } = deployed
  const field = orderFieldId(registry, swapIdOf(deployed, terms))
  const object = GrpcTypes.Object.create({
    objectId: field,
    objectType: `0x2::dynamic_field::Field<vector<u8>, ${packageId}::htlc::Order<${coinType}>>`,
    owner: { kind: GrpcTypes.Owner_OwnerKind.OBJECT, address: registry },
  })
  return async (method, request, ask) => {
    if (method !== 'GetObject' || (request as GrpcTypes.GetObjectRequest).objectId !== field) return ask(request)
    if (as === 'absent') throw new GrpcError('NOT_FOUND', `Object ${field} not found`)
    return { object }
  }
}

function randomDigest(): string {
  return toBase58(randomBytes(32))
}

/** What the conformance suite needs. */
export function openTestProviders(
  chain: SuiChain,
  connect: (urls: readonly string[], options: Parameters<TestProviders['connect']>[1]) => ChainClient,
  deployed: Deployed,
): Promise<TestProviders> {
  return startTestProviders<Behaviour>({
    start: () => startTestProvider(chain),
    connect,
    honest,
    behaviourOf(how) {
      switch (how.kind) {
        case 'stops-at':
          return stoppedAt(how.newest)
        case 'forges-block':
          return forgedBlock(how.block.hash)
        case 'forges-initiation':
          return forgedInitiation(deployed, how.terms, how.newest)
        case 'hides-events':
          return hidingEvents
        case 'shows-htlc':
          return shownHtlc(deployed, how.terms, how.as)
      }
    },
  })
}
