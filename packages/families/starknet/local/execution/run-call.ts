// Runs calls of contracts: one tree of calls per transaction, all in one state.
import type { BlockInfo, ContractClass, ContractEnv, TransactionInfo } from '../classes/contract-class.ts'
import { type Felts, hex, paddedHex, selectorOf, shortString } from '../felt.ts'
import { addressFrom } from '../hashes.ts'
import { readCalldata } from './calldata.ts'
import type { GasMeter } from './gas.ts'
import { Panic, systemFailure } from './panic.ts'
import { classKey, declaredKey, overlay, type State, storageKey } from './state.ts'

export type EmittedEvent = { readonly address: bigint; readonly keys: Felts; readonly data: Felts }

export interface Execution {
  readonly state: State
  readonly classes: ClassSet
  readonly block: BlockInfo
  readonly transaction: TransactionInfo
  readonly chainId: bigint
  readonly events: EmittedEvent[]
  readonly gas: GasMeter
}

export interface ClassSet {
  find(classHash: bigint): ContractClass | undefined
  entryPointName(selector: bigint): string | undefined
}

export type Call = { readonly to: bigint; readonly selector: bigint; readonly calldata: Felts; readonly caller: bigint }

const CONSTRUCTOR = selectorOf('constructor')
const MAX_DEPTH = 50

export class EntryPointNotFound extends Panic {
  constructor(selector: bigint) {
    super([shortString('ENTRYPOINT_NOT_FOUND')], `Entry point EntryPointSelector(${hex(selector)}) not found in contract`)
  }
}

export function runCall(execution: Execution, call: Call, depth = 0): Felts {
  const classHash = execution.state.get(classKey(call.to))
  if (classHash === 0n) throw systemFailure(`Requested contract address ${paddedHex(call.to)} is not deployed`)
  return inFrame({ address: call.to, classHash, selector: call.selector }, () => {
    if (depth > MAX_DEPTH) throw systemFailure('Recursion depth exceeded')
    const name = execution.classes.entryPointName(call.selector)
    const run = name === undefined ? undefined : execution.classes.find(classHash)?.entryPoints[name]
    if (run === undefined) throw new EntryPointNotFound(call.selector)
    execution.gas.countCall()
    return run(envOf(execution, call.to, call.caller, depth), readCalldata(call.calldata))
  })
}

export function deployContract(execution: Execution, { classHash, salt, calldata, deployer, caller }: Deployment, depth = 0): bigint {
  const { state } = execution
  if (state.get(declaredKey(classHash)) === 0n) throw systemFailure(`Class with hash ${paddedHex(classHash)} is not declared`)
  const address = addressFrom(classHash, salt, calldata, deployer)
  if (state.get(classKey(address)) !== 0n)
    throw systemFailure(`Deployment failed: contract already deployed at address ${paddedHex(address)}`)
  construct(execution, { address, classHash, calldata, caller }, depth)
  return address
}

export type Deployment = {
  readonly classHash: bigint
  readonly salt: bigint
  readonly calldata: Felts
  readonly deployer: bigint
  readonly caller: bigint
}

export function construct(
  execution: Execution,
  { address, classHash, calldata, caller }: Pick<Deployment, 'classHash' | 'calldata' | 'caller'> & { readonly address: bigint },
  depth = 0,
): void {
  execution.state.set(classKey(address), classHash)
  inFrame({ address, classHash, selector: CONSTRUCTOR }, () => {
    const run = execution.classes.find(classHash)?.construct
    if (run === undefined && calldata.length > 0) throw systemFailure('Cannot pass calldata to a contract with no constructor')
    execution.gas.countCall()
    run?.(envOf(execution, address, caller, depth), readCalldata(calldata))
  })
}

function envOf(execution: Execution, address: bigint, caller: bigint, depth: number): ContractEnv {
  const { state, block, transaction, chainId, events, gas } = execution
  return {
    address,
    caller,
    block,
    transaction,
    chainId,
    read: (name) => state.get(storageKey(address, name)),
    write: (name, value) => state.set(storageKey(address, name), value),
    call(to, entryPoint, calldata) {
      const selector = typeof entryPoint === 'string' ? selectorOf(entryPoint) : entryPoint
      return runCall(execution, { to, selector, calldata, caller: address }, depth + 1)
    },
    tryCall(to, entryPoint, calldata) {
      const attempt = overlay(state)
      const emitted: EmittedEvent[] = []
      try {
        const call = { to, selector: selectorOf(entryPoint), calldata, caller: address }
        const answer = runCall({ ...execution, state: attempt, events: emitted }, call, depth + 1)
        attempt.commit(state)
        events.push(...emitted)
        return answer
      } catch (error) {
        // Contracts cannot catch failures of the system, for instance that nothing is deployed at the address.
        if (error instanceof Panic && error.felts.length > 0) return null
        throw error
      }
    },
    emit(keys, data) {
      gas.countEvent(keys, data)
      events.push({ address, keys, data })
    },
    deploy: (classHash, salt, calldata, deployer) =>
      deployContract(execution, { classHash, salt, calldata, deployer, caller: address }, depth + 1),
  }
}

/** A failure passes through every caller, and each adds its own call. */
function inFrame<Result>(frame: Panic['frames'][number], task: () => Result): Result {
  try {
    return task()
  } catch (error) {
    if (error instanceof Panic) error.frames.unshift(frame)
    throw error
  }
}
