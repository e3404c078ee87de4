// Re-implements further accounts in TypeScript: one that needs two signatures, and hostile ones for tests.
import { panic } from '../execution/panic.ts'
import { type Felts, shortString } from '../felt.ts'
import { isSignedBy } from '../hashes.ts'
import { accountAbi, accountEntryPoints, executeCalls, isValidSignatureBy, type SignatureCheck, VALID, validateBy } from './account.ts'
import type { ContractClass, EntryPoint } from './contract-class.ts'
import { abiTypes } from './simple-abi.ts'

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

export const hostileAccountClasses = [
  trueAccountClass,
  falseAccountClass,
  talkativeAccountClass,
  silentAccountClass,
  panickingAccountClass,
  reenteringAccountClass,
] as const
