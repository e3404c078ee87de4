/** The methods of the nodes' gRPC that we use, with the SDK's messages. */
import { GrpcTypes } from '@mysten/sui/grpc'
import type { Method } from './grpc-web.ts'

const LEDGER = 'sui.rpc.v2.LedgerService'
const STATE = 'sui.rpc.v2.StateService'
const EXECUTION = 'sui.rpc.v2.TransactionExecutionService'

function method<Q extends object, A extends object>(service: string, name: string, types: Omit<Method<Q, A>, 'path'>): Method<Q, A> {
  return { path: `${service}/${name}`, ...types }
}

export const methods = {
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
