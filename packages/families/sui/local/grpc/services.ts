// Lists all services of the node by the path of their methods, with the SDK's own message types.
import { GrpcTypes } from '@mysten/sui/grpc'
import type { SuiNode } from '../chain/node.ts'
import { executionService } from './execution-service.ts'
import { forkingService } from './forking-service.ts'
import { ledgerService } from './ledger-service.ts'
import { packageService } from './package-service.ts'
import type { AnswerBytes } from './server.ts'
import { stateService } from './state-service.ts'
import { GrpcError, invalidArgument } from './status.ts'

export type Answer = (path: string, request: object) => Promise<readonly object[]>

type Handler = (request: never) => object | readonly object[] | Promise<object>
type MessageCoder = { fromBinary(bytes: Uint8Array): object; toBinary(message: never): Uint8Array }
type Method = { readonly I: MessageCoder; readonly O: MessageCoder }

const types = [
  GrpcTypes.LedgerService,
  GrpcTypes.StateService,
  GrpcTypes.TransactionExecutionService,
  GrpcTypes.MovePackageService,
  GrpcTypes.ForkingService,
]
const methods: ReadonlyMap<string, Method> = new Map(
  types.flatMap(({ typeName, methods: known }) =>
    known.map((method) => [`/${typeName}/${method.name}`, method as unknown as Method] as const),
  ),
)

export function createAnswer(node: SuiNode, chainName: string): Answer {
  const services: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
    [GrpcTypes.LedgerService.typeName]: ledgerService(node, chainName),
    [GrpcTypes.StateService.typeName]: stateService(node),
    [GrpcTypes.TransactionExecutionService.typeName]: executionService(node),
    [GrpcTypes.MovePackageService.typeName]: packageService(node),
    [GrpcTypes.ForkingService.typeName]: forkingService(node),
  }
  return async (path, request) => {
    const [, service = '', method = ''] = path.split('/')
    const handler = services[service]?.[method]
    if (handler === undefined) throw new GrpcError('UNIMPLEMENTED', `${path} is not served by this simulator`)
    node.catchUp()
    const answered = await handler(request as never)
    return Array.isArray(answered) ? answered : [answered]
  }
}

export function answerBytes(answer: Answer): AnswerBytes {
  return async (path, bytes) => {
    const method = methods.get(path)
    if (method === undefined) throw new GrpcError('UNIMPLEMENTED', `${path} is not served by this simulator`)
    const messages = await answer(path, decode(method, bytes))
    return messages.map((message) => method.O.toBinary(message as never))
  }
}

function decode({ I }: Method, bytes: Uint8Array): object {
  try {
    return I.fromBinary(bytes)
  } catch (error) {
    throw invalidArgument(`the request is not a message of its method: ${error instanceof Error ? error.message : String(error)}`)
  }
}
