// Answers the methods about contracts and classes at a block.
import { simulatedClassJson } from '../classes/class-json.ts'
import { createGasMeter } from '../execution/gas.ts'
import { Panic } from '../execution/panic.ts'
import { EntryPointNotFound, runCall } from '../execution/run-call.ts'
import { classKey, declaredKey, nonceKey, overlay, type StateReader } from '../execution/state.ts'
import { hex, hexes } from '../felt.ts'
import { type Fields, readFelt, readFelts, readObject } from '../transactions/fields.ts'
import type { Context, Methods } from './context.ts'
import { blockParam, feltParam, reading, stateAfter } from './params.ts'
import { classHashNotFound, contractError, contractNotFound, entryPointNotFound } from './rpc-error.ts'

const noTransaction = { hash: 0n, signature: [], isQuery: false }

export function stateMethods({ node, nextBlock }: Context): Methods {
  const { ledger, chain, declared } = node
  const stateOf = (params: Fields) => stateAfter(ledger, blockParam(ledger, nextBlock, params))

  function classOf(params: Fields): bigint {
    const classHash = stateOf(params).get(classKey(feltParam(params, 'contract_address')))
    if (classHash === 0n) throw contractNotFound()
    return classHash
  }

  function classJson(state: StateReader, classHash: bigint): unknown {
    if (state.get(declaredKey(classHash)) === 0n) throw classHashNotFound()
    const simulated = chain.classes.find(classHash)
    const json = declared.get(classHash)?.json ?? (simulated && simulatedClassJson(simulated))
    if (json === undefined) throw classHashNotFound()
    return json
  }

  return {
    starknet_getNonce: {
      params: ['block_id', 'contract_address'],
      answer(params) {
        classOf(params)
        return hex(stateOf(params).get(nonceKey(feltParam(params, 'contract_address'))))
      },
    },
    starknet_getClassHashAt: { params: ['block_id', 'contract_address'], answer: (params) => hex(classOf(params)) },
    starknet_getClassAt: {
      params: ['block_id', 'contract_address'],
      answer: (params) => classJson(stateOf(params), classOf(params)),
    },
    starknet_getClass: {
      params: ['block_id', 'class_hash'],
      answer: (params) => classJson(stateOf(params), feltParam(params, 'class_hash')),
    },
    starknet_call: {
      params: ['request', 'block_id'],
      answer(params) {
        const block = blockParam(ledger, nextBlock, params)
        const { to, selector, calldata } = reading(() => readCall(params.request))
        const state = overlay(stateAfter(ledger, block))
        if (state.get(classKey(to)) === 0n) throw contractNotFound()
        try {
          const execution = { ...chain, state, block, transaction: noTransaction, events: [], gas: createGasMeter() }
          return hexes(runCall(execution, { to, selector, calldata, caller: 0n }))
        } catch (error) {
          if (error instanceof EntryPointNotFound && error.frames.length === 1) throw entryPointNotFound()
          throw error instanceof Panic ? contractError(error) : error
        }
      },
    },
  }
}

function readCall(request: unknown) {
  const call = readObject(request, 'request')
  return { to: readFelt(call, 'contract_address'), selector: readFelt(call, 'entry_point_selector'), calldata: readFelts(call, 'calldata') }
}
