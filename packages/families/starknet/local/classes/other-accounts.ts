// Re-implements further accounts in TypeScript: one that needs two signatures, and hostile ones for tests.
import { panic } from '../execution/panic.ts'
import { type Felts, selectorOf, shortString } from '../felt.ts'
import { isSignedBy } from '../hashes.ts'
import { accountAbi, accountEntryPoints, executeCalls, isValidSignatureBy, oneKey, VALID, validateBy } from './account.ts'
import type { ContractClass, EntryPoint } from './contract-class.ts'
import { type Outside, outsideV1, outsideV2 } from './outside-execution.ts'
import { abiTypes } from './simple-abi.ts'
import type { SignatureCheck } from './user-calls.ts'

const { address, felt } = abiTypes

/** The signature is r and s of the first key, and then of the second. */
const twoKeys: SignatureCheck = (env, hash, signature) => {
  const [r1, s1, r2, s2] = signature
  if (r1 === undefined || s1 === undefined || r2 === undefined || s2 === undefined || signature.length !== 4) return false
  return isSignedBy(env.read('first key'), hash, [r1, s1]) && isSignedBy(env.read('second key'), hash, [r2, s2])
}

export const multisigAccountClass: ContractClass = {
  name: 'account with two keys',
  classHash: shortString('simulated multisig account'),
  construct(env, calldata) {
    const [first, second] = [calldata.felt(), calldata.felt()]
    calldata.end()
    env.write('first key', first)
    env.write('second key', second)
    return []
  },
  entryPoints: accountEntryPoints(twoKeys),
  abi: accountAbi({ first_key: felt, second_key: felt }),
}

const anyone: SignatureCheck = () => true

/** Anybody may send this account's transactions. `is_valid_signature` answers as given. */
function hostileAccount(name: string, isValidSignature: EntryPoint): ContractClass {
  return {
    name,
    classHash: shortString(`simulated ${name}`),
    construct(env, calldata) {
      // The hostile account makes this call, if any, when it is asked.
      const target = calldata.rest()
      for (const [index, word] of target.entries()) env.write(`target ${index}`, word)
      env.write('target length', BigInt(target.length))
      return []
    },
    entryPoints: {
      ...accountEntryPoints(anyone),
      __validate__: validateBy(anyone),
      __execute__: executeCalls,
      is_valid_signature: isValidSignature,
      isValidSignature,
    },
    abi: accountAbi({ target: address }),
  }
}

function answering(felts: Felts): EntryPoint {
  return (_env, calldata) => {
    calldata.rest()
    return felts
  }
}

/** Old accounts returned a bool, which is 1. */
export const trueAccountClass = hostileAccount('account of 1', answering([1n]))
export const falseAccountClass = hostileAccount('account of 0', answering([0n]))
/** The answer has more than one felt: callers that read only the first accept it. */
export const talkativeAccountClass = hostileAccount('account of two felts', answering([VALID, VALID]))
export const silentAccountClass = hostileAccount('account of nothing', answering([]))
export const panickingAccountClass = hostileAccount('panicking account', () => {
  throw panic('hostile')
})

/** The account calls the contract back that asks for its signature, with the constructor's calldata: [contract, selector, ...calldata]. */
const reenteringAccountClass = hostileAccount('reentering account', (env, calldata) => {
  const check = isValidSignatureBy(anyone)
  const length = Number(env.read('target length'))
  const [to, selector, ...rest] = Array.from({ length }, (_, index) => env.read(`target ${index}`))
  if (to !== undefined && selector !== undefined) env.call(to, selector, rest)
  return check(env, calldata)
})

/** Like `accountClass`, with other outside executions. */
function outsideAccount(name: string, outside: Outside): ContractClass {
  return {
    name,
    classHash: shortString(`simulated ${name}`),
    construct(env, calldata) {
      env.write('public key', calldata.felt())
      calldata.end()
      return []
    },
    entryPoints: accountEntryPoints(oneKey, [outside]),
    abi: accountAbi({ public_key: felt }),
  }
}

export const outsideV1AccountClass = outsideAccount('outside v1', outsideV1(oneKey))

const { interfaceId, entryPoints: honest } = outsideV2(oneKey)
const { execute_from_outside_v2: _, ...withoutEntryPoint } = honest
/** The account says that it takes them, and has no entry point for that. */
export const boastingAccountClass = outsideAccount('outside boaster', { interfaceId, entryPoints: withoutEntryPoint })
/** Anybody may send an outside execution that the owner has not signed. */
export const openAccountClass = outsideAccount('outside open', outsideV2(anyone))

/** The index of each part in the calldata of an outside execution that approves and then initiates. */
const AT = { nonce: 1, approve: 5, initiate: 11, lastWord: 25 } as const

/** What the account takes after `set_mode`: 0 is what the owner signed; 1 does nothing, and reports success; 2 initiates another order. */
export const fickleAccountClass = outsideAccount('outside fickle', {
  interfaceId,
  entryPoints: {
    ...honest,
    set_mode(env, calldata) {
      env.write('mode', calldata.felt())
      calldata.end()
      return []
    },
    execute_from_outside_v2(env, calldata) {
      const mode = env.read('mode')
      if (mode === 0n) return honest.execute_from_outside_v2?.(env, calldata) ?? []
      const felts = calldata.rest()
      if (mode === 1n) return [0n]
      const at = (index: number) => felts[index] ?? 0n
      env.call(at(AT.approve), at(AT.approve + 1), felts.slice(AT.approve + 3, AT.initiate))
      env.call(at(AT.initiate), at(AT.initiate + 1), [...felts.slice(AT.initiate + 3, AT.lastWord), at(AT.lastWord) ^ 1n])
      // The event has the order that was signed, and is not the contract's.
      env.emit([selectorOf('Initiated'), at(AT.nonce)], [])
      return [0n]
    },
  },
})

export const outsideAccountClasses = [outsideV1AccountClass, boastingAccountClass, openAccountClass, fickleAccountClass] as const

export const hostileAccountClasses = [
  trueAccountClass,
  falseAccountClass,
  talkativeAccountClass,
  silentAccountClass,
  panickingAccountClass,
  reenteringAccountClass,
] as const
