// Answers sui.rpc.v2.TransactionExecutionService: executes and simulates transactions.
import { GrpcTypes } from '@mysten/sui/grpc'
import { assertGas, assertInputs, assertNotExpired } from '../chain/admission.ts'
import type { SuiNode } from '../chain/node.ts'
import type { MoveValue } from '../move/function.ts'
import { encodeTransaction, readTransaction, type TransactionData } from '../transactions/transaction.ts'
import { masked } from './field-mask.ts'
import { estimateBudget, selectGas, withMockGas } from './gas-selection.ts'
import { executedMessage } from './ledger-messages.ts'
import { resolveTransaction } from './resolve.ts'
import { invalidArgument } from './status.ts'

const EXECUTE_MASK = ['effects']
const EVERYTHING = ['*']

export function executionService(node: SuiNode) {
  function simulate(request: GrpcTypes.SimulateTransactionRequest) {
    const hasChecks = request.checks !== GrpcTypes.SimulateTransactionRequest_TransactionChecks.DISABLED
    const data = dataOf(node, request.transaction)
    const selected = request.doGasSelection === true && hasChecks ? withGas(data, request.transaction) : data
    const { objects, data: complete } = withMockGas(node, selected)
    const state = node.admission(objects)
    assertInputs(state, complete, hasChecks)
    if (hasChecks) {
      assertNotExpired(state, complete)
      assertGas(state, complete)
    }
    // The answer has the transaction of the caller, without the mocked gas coin.
    const executed = node.rehearse(objects, encodeTransaction(complete))
    return { ...executed, transaction: encodeTransaction(selected) }
  }

  function withGas(data: TransactionData, message: GrpcTypes.Transaction | undefined): TransactionData {
    const hasBudget = message?.bcs !== undefined || message?.gasPayment?.budget !== undefined
    const budget = hasBudget ? data.gas.budget : estimateBudget(node, data)
    const budgeted = { ...data, gas: { ...data.gas, budget } }
    return data.gas.payment.length > 0 ? budgeted : selectGas(node, budgeted)
  }

  return {
    async ExecuteTransaction(request: GrpcTypes.ExecuteTransactionRequest): Promise<GrpcTypes.ExecuteTransactionResponse> {
      const bytes = request.transaction?.bcs?.value
      if (bytes === undefined) throw invalidArgument('invalid transaction: this simulator takes BCS only')
      const signatures = request.signatures.map(({ bcs }) => bcs?.value ?? new Uint8Array())
      const executed = await node.submit(bytes, signatures)
      // A node answers as soon as a transaction is executed, before it is in a checkpoint.
      return {
        transaction: masked(GrpcTypes.ExecutedTransaction, executedMessage(executed, null), request.readMask?.paths ?? EXECUTE_MASK),
      }
    },
    SimulateTransaction(request: GrpcTypes.SimulateTransactionRequest): GrpcTypes.SimulateTransactionResponse {
      const executed = simulate(request)
      const response: GrpcTypes.SimulateTransactionResponse = {
        transaction: executedMessage(executed, null),
        commandOutputs: executed.execution.results.map((values) => ({ returnValues: values.map(outputMessage), mutatedByRef: [] })),
        suggestedGasPrice: node.epochs.current().gasPrice,
      }
      return masked(GrpcTypes.SimulateTransactionResponse, response, request.readMask?.paths ?? EVERYTHING)
    },
  }
}

function dataOf(node: SuiNode, message: GrpcTypes.Transaction | undefined): TransactionData {
  if (message === undefined) throw invalidArgument('transaction is missing')
  if (message.bcs?.value === undefined) return resolveTransaction(node, message)
  try {
    return readTransaction(message.bcs.value).data
  } catch (error) {
    throw invalidArgument(`invalid transaction: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function outputMessage({ type, bytes }: MoveValue): GrpcTypes.CommandOutput {
  return { value: { name: type, value: bytes } }
}
