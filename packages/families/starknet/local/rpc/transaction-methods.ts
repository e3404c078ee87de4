// Answers the methods that send transactions, estimate them, and report their status.

import { nestedError, revertText } from '../execution/panic.ts'
import { NotValid, runTransaction } from '../execution/run-transaction.ts'
import { classKey, nonceKey, overlay } from '../execution/state.ts'
import { hex } from '../felt.ts'
import { UnsupportedClassVersion } from '../transactions/declared-class.ts'
import { type Fields, readObject } from '../transactions/fields.ts'
import { readTransaction, UnsupportedVersion, type WireTransaction } from '../transactions/wire-transaction.ts'
import { blockPlaceJson, receiptJson, statusOf, transactionJson } from './block-json.ts'
import type { Context, Method, Methods } from './context.ts'
import { blockParam, feltParam, isClosed, reading, stateAfter } from './params.ts'
import {
  contractNotFound,
  executionError,
  invalidParams,
  transactionNotFound,
  unsupportedClassVersion,
  unsupportedVersion,
} from './rpc-error.ts'

export function transactionMethods({ node, readClass, nextBlock }: Context): Methods {
  const { ledger, chain, pool } = node

  function read(value: unknown): WireTransaction {
    try {
      return reading(() => readTransaction(readObject(value, 'transaction'), chain.chainId, readClass))
    } catch (error) {
      if (error instanceof UnsupportedVersion) throw unsupportedVersion()
      throw error instanceof UnsupportedClassVersion ? unsupportedClassVersion() : error
    }
  }

  function add(name: string, type: WireTransaction['type']): Method {
    return {
      params: [name],
      answer(params) {
        const transaction = read(params[name])
        if (transaction.type !== type) throw invalidParams(`${name}: expected the type ${type}`)
        node.submit(transaction)
        return {
          transaction_hash: hex(transaction.hash),
          ...(type === 'DEPLOY_ACCOUNT' && { contract_address: hex(transaction.sender) }),
          ...(transaction.type === 'DECLARE' && { class_hash: hex(transaction.classHash) }),
        }
      },
    }
  }

  function simulate(list: readonly WireTransaction[], params: Fields, flags: readonly string[], revertsFail: boolean) {
    const block = blockParam(ledger, nextBlock, params)
    const state = overlay(stateAfter(ledger, block))
    const on = isClosed(block) ? { ...block, number: block.number + 1, timestamp: node.nextBlock().timestamp } : block
    const options = { validates: !flags.includes('SKIP_VALIDATE'), charges: false }
    return list.map((transaction, index) => {
      const { type, sender, nonce } = transaction
      if (type !== 'DEPLOY_ACCOUNT' && state.get(classKey(sender)) === 0n) throw contractNotFound()
      const expected = state.get(nonceKey(sender))
      if (nonce !== expected && options.validates)
        throw executionError(
          index,
          `Invalid transaction nonce of contract at address ${hex(sender)}. Account nonce: ${hex(expected)}; got: ${hex(nonce)}.`,
        )
      try {
        const done = runTransaction(chain, state, on, transaction, options)
        if (done.revert !== null && revertsFail) throw executionError(index, nestedError(done.revert))
        done.state.commit(state)
        return { done, prices: on.prices }
      } catch (error) {
        throw error instanceof NotValid ? executionError(index, nestedError(error.panic)) : error
      }
    })
  }

  const estimateJson = ({ done: { gas, fee }, prices }: ReturnType<typeof simulate>[number]) => ({
    l1_gas_consumed: hex(gas.l1Gas),
    l1_gas_price: hex(prices.l1Gas),
    l1_data_gas_consumed: hex(gas.l1DataGas),
    l1_data_gas_price: hex(prices.l1DataGas),
    l2_gas_consumed: hex(gas.l2Gas),
    l2_gas_price: hex(prices.l2Gas),
    overall_fee: hex(fee),
    unit: 'FRI',
  })

  function place(params: Fields) {
    const found = ledger.transaction(feltParam(params, 'transaction_hash'))
    if (found === null) throw transactionNotFound()
    return found
  }

  return {
    starknet_addInvokeTransaction: add('invoke_transaction', 'INVOKE'),
    starknet_addDeployAccountTransaction: add('deploy_account_transaction', 'DEPLOY_ACCOUNT'),
    starknet_addDeclareTransaction: add('declare_transaction', 'DECLARE'),
    starknet_estimateFee: {
      params: ['request', 'simulation_flags', 'block_id'],
      answer(params) {
        const list = listParam(params, 'request').map(read)
        return simulate(list, params, flagsParam(params, ['SKIP_VALIDATE']), true).map(estimateJson)
      },
    },
    starknet_simulateTransactions: {
      params: ['block_id', 'transactions', 'simulation_flags', 'trace_flags'],
      answer(params) {
        const list = listParam(params, 'transactions').map(read)
        return simulate(list, params, flagsParam(params, ['SKIP_VALIDATE', 'SKIP_FEE_CHARGE']), false).map((simulated, index) => ({
          transaction_trace: traceJson(list[index]?.type ?? 'INVOKE', simulated.done),
          fee_estimation: estimateJson(simulated),
        }))
      },
    },
    starknet_getTransactionByHash: {
      params: ['transaction_hash', 'response_flags'],
      answer(params) {
        const waiting = pool.find(feltParam(params, 'transaction_hash'))
        return transactionJson(waiting === undefined ? place(params).mined : { transaction: waiting })
      },
    },
    starknet_getTransactionReceipt: {
      params: ['transaction_hash'],
      answer(params) {
        const { mined, block } = place(params)
        return { ...receiptJson(ledger, mined, block), ...blockPlaceJson(block) }
      },
    },
    starknet_getTransactionStatus: {
      params: ['transaction_hash'],
      answer(params) {
        if (pool.has(feltParam(params, 'transaction_hash'))) return { finality_status: 'RECEIVED' }
        const { mined, block } = place(params)
        return {
          finality_status: statusOf(ledger, block),
          ...(mined.revert === null
            ? { execution_status: 'SUCCEEDED' }
            : { execution_status: 'REVERTED', failure_reason: revertText(mined.revert) }),
        }
      },
    },
  }
}

function traceJson(type: string, { revert, gas }: ReturnType<typeof runTransaction>) {
  const resources = { l1_gas: Number(gas.l1Gas), l1_data_gas: Number(gas.l1DataGas), l2_gas: Number(gas.l2Gas) }
  const reverted = revert !== null && { execute_invocation: { revert_reason: revertText(revert) } }
  return { type, execution_resources: resources, ...reverted }
}

function listParam(params: Fields, name: string): readonly unknown[] {
  const list = params[name]
  if (!Array.isArray(list)) throw invalidParams(`${name}: expected a list of transactions`)
  return list
}

function flagsParam(params: Fields, allowed: readonly string[]): readonly string[] {
  const flags = params.simulation_flags ?? []
  if (!Array.isArray(flags) || flags.some((flag) => !allowed.includes(flag)))
    throw invalidParams(`simulation_flags: expected ${allowed.join(' or ')}`)
  return flags
}
