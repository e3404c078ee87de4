// Mocks the token and the account of the contract's scenarios, like packages/families/starknet/contract/testing/cairo/mocks.cairo.
import type { Calldata } from '../execution/calldata.ts'
import { panic } from '../execution/panic.ts'
import { type Felts, hex, shortString, u256Felts } from '../felt.ts'
import { VALID } from './account.ts'
import type { ContractClass, ContractEnv } from './contract-class.ts'

const balanceName = (account: bigint) => `balance ${hex(account)}`
const allowanceName = (owner: bigint, spender: bigint) => `allowance ${hex(owner)} ${hex(spender)}`

function add(env: ContractEnv, account: bigint, amount: bigint): void {
  env.write(balanceName(account), env.read(balanceName(account)) + amount)
}

function runHook(env: ContractEnv): void {
  const selector = env.read('hook selector')
  if (selector === 0n) return
  env.write('fault', 0n)
  env.write('hook selector', 0n)
  const calldata = Array.from({ length: Number(env.read('hook length')) }, (_, index) => env.read(`hook ${index}`))
  env.call(env.read('hook to'), selector, calldata)
}

function move(env: ContractEnv, sender: bigint, recipient: bigint, amount: bigint): Felts {
  const fault = env.read('fault')
  runHook(env)
  if (fault === shortString('false')) return [0n]
  if (fault === shortString('nothing')) return [1n]
  if (env.read(balanceName(sender)) < amount) throw panic('ERC20: insufficient balance')
  add(env, sender, -amount)
  add(env, recipient, amount - (fault === shortString('fee') ? 1n : 0n))
  return [1n]
}

export const scenarioToken: ContractClass = {
  name: 'token of the scenarios',
  classHash: shortString('scenario token'),
  abi: [],
  entryPoints: {
    fund(env, calldata) {
      const [spender, amount] = [calldata.address(), calldata.u256()]
      add(env, env.caller, amount)
      env.write(allowanceName(env.caller, spender), amount)
      return []
    },
    mint(env, calldata) {
      add(env, calldata.address(), calldata.u256())
      return []
    },
    approve(env, calldata) {
      env.write(allowanceName(env.caller, calldata.address()), calldata.u256())
      return [1n]
    },
    balance_of: (env, calldata) => u256Felts(env.read(balanceName(calldata.address()))),
    balances_of(env, calldata) {
      const accounts = calldata.felts()
      return [BigInt(accounts.length), ...accounts.flatMap((account) => u256Felts(env.read(balanceName(account))))]
    },
    set_fault(env, calldata) {
      env.write('fault', calldata.felt())
      return []
    },
    set_hook(env, calldata) {
      const [to, selector, inner] = [calldata.address(), calldata.felt(), calldata.felts()]
      env.write('hook to', to)
      env.write('hook selector', selector)
      env.write('hook length', BigInt(inner.length))
      for (const [index, felt] of inner.entries()) env.write(`hook ${index}`, felt)
      return []
    },
    transfer: (env, calldata) => move(env, env.caller, calldata.address(), calldata.u256()),
    transfer_from(env, calldata) {
      const [sender, recipient, amount] = [calldata.address(), calldata.address(), calldata.u256()]
      if (sender !== env.address) {
        const allowance = env.read(allowanceName(sender, env.caller))
        if (allowance < amount) throw panic('ERC20: insufficient allowance')
        env.write(allowanceName(sender, env.caller), allowance - amount)
      }
      return move(env, sender, recipient, amount)
    },
  },
}

/** The signature says how the account answers. */
function answer(env: ContractEnv, calldata: Calldata): Felts {
  const [hash, signature] = [calldata.felt(), calldata.felts()]
  const [todo, first = 0n, selector = 0n, ...inner] = signature
  if (todo === undefined) throw panic('Index out of bounds')
  if (todo === shortString('panic')) throw panic('account: no')
  if (todo === shortString('answer')) return [first]
  if (todo === shortString('digest')) return [hash === first ? VALID : 0n]
  env.call(first, selector, inner)
  return [VALID]
}

export const scenarioAccount: ContractClass = {
  name: 'account of the scenarios',
  classHash: shortString('scenario account'),
  abi: [],
  entryPoints: { is_valid_signature: answer },
}

/**
 * The parties without functions have this contract. A sequencer fails a transaction that calls an address without a contract, and no
 * contract can catch that; the VM of the Cairo tests lets it be caught, as a sequencer lets a missing function.
 */
export const scenarioParty: ContractClass = {
  name: 'party of the scenarios',
  classHash: shortString('scenario party'),
  abi: [],
  entryPoints: {},
}
