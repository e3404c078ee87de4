// Re-implements OpenZeppelin's ERC-20 for Cairo in TypeScript, with the names of both spellings. The simulator runs no Cairo.
import { panic } from '../execution/panic.ts'
import { type Felts, hex, selectorOf, shortString, u256Felts } from '../felt.ts'
import type { ContractClass, ContractEnv, EntryPoint } from './contract-class.ts'
import { abiTypes, simpleAbi } from './simple-abi.ts'

const { address, bool, felt, text, u256, u8 } = abiTypes
const MAX_U256 = 2n ** 256n - 1n
const SUCCESS: Felts = [1n]

const balanceName = (account: bigint) => `balance ${hex(account)}`
const allowanceName = (owner: bigint, spender: bigint) => `allowance ${hex(owner)} ${hex(spender)}`

function move(env: ContractEnv, sender: bigint, recipient: bigint, amount: bigint): void {
  if (sender === 0n) throw panic('ERC20: transfer from 0')
  if (recipient === 0n) throw panic('ERC20: transfer to 0')
  const balance = env.read(balanceName(sender))
  if (balance < amount) throw panic('ERC20: insufficient balance')
  env.write(balanceName(sender), balance - amount)
  env.write(balanceName(recipient), env.read(balanceName(recipient)) + amount)
  env.emit([selectorOf('Transfer'), sender, recipient], u256Felts(amount))
}

function spendAllowance(env: ContractEnv, owner: bigint, amount: bigint): void {
  const name = allowanceName(owner, env.caller)
  const allowance = env.read(name)
  // An allowance of the highest number never runs out.
  if (allowance === MAX_U256) return
  if (allowance < amount) throw panic('ERC20: insufficient allowance')
  env.write(name, allowance - amount)
}

const transfer: EntryPoint = (env, calldata) => {
  const [recipient, amount] = [calldata.address(), calldata.u256()]
  calldata.end()
  move(env, env.caller, recipient, amount)
  return SUCCESS
}

const transferFrom: EntryPoint = (env, calldata) => {
  const [sender, recipient, amount] = [calldata.address(), calldata.address(), calldata.u256()]
  calldata.end()
  spendAllowance(env, sender, amount)
  move(env, sender, recipient, amount)
  return SUCCESS
}

const approve: EntryPoint = (env, calldata) => {
  const [spender, amount] = [calldata.address(), calldata.u256()]
  calldata.end()
  if (env.caller === 0n) throw panic('ERC20: approve from 0')
  if (spender === 0n) throw panic('ERC20: approve to 0')
  env.write(allowanceName(env.caller, spender), amount)
  env.emit([selectorOf('Approval'), env.caller, spender], u256Felts(amount))
  return SUCCESS
}

const balanceOf: EntryPoint = (env, calldata) => {
  const account = calldata.address()
  calldata.end()
  return u256Felts(env.read(balanceName(account)))
}

const allowance: EntryPoint = (env, calldata) => {
  const [owner, spender] = [calldata.address(), calldata.address()]
  calldata.end()
  return u256Felts(env.read(allowanceName(owner, spender)))
}

function view(read: (env: ContractEnv) => Felts): EntryPoint {
  return (env, calldata) => {
    calldata.end()
    return read(env)
  }
}

/** The word has less than 31 bytes. */
const byteArray = (word: bigint): Felts => [0n, word, BigInt(Math.ceil(word.toString(16).length / 2))]
const totalSupply = view((env) => u256Felts(env.read('supply')))

export const erc20Class: ContractClass = {
  name: 'ERC-20',
  // This constructor is our own: it names the owner of the supply, and decimals are an argument.
  classHash: shortString('simulated ERC-20'),
  construct(env, calldata) {
    const [name, symbol, decimals, supply, owner] = [calldata.felt(), calldata.felt(), calldata.felt(), calldata.u256(), calldata.address()]
    calldata.end()
    env.write('name', name)
    env.write('symbol', symbol)
    env.write('decimals', decimals)
    env.write('supply', supply)
    env.write(balanceName(owner), supply)
    env.emit([selectorOf('Transfer'), 0n, owner], u256Felts(supply))
    return []
  },
  entryPoints: {
    transfer,
    transfer_from: transferFrom,
    transferFrom,
    approve,
    balance_of: balanceOf,
    balanceOf,
    allowance,
    total_supply: totalSupply,
    totalSupply,
    decimals: view((env) => [env.read('decimals')]),
    name: view((env) => byteArray(env.read('name'))),
    symbol: view((env) => byteArray(env.read('symbol'))),
  },
  abi: simpleAbi(
    { name: felt, symbol: felt, decimals: u8, initial_supply: u256, recipient: address },
    [
      { name: 'transfer', inputs: { recipient: address, amount: u256 }, output: bool, changes: true },
      { name: 'transfer_from', inputs: { sender: address, recipient: address, amount: u256 }, output: bool, changes: true },
      { name: 'transferFrom', inputs: { sender: address, recipient: address, amount: u256 }, output: bool, changes: true },
      { name: 'approve', inputs: { spender: address, amount: u256 }, output: bool, changes: true },
      { name: 'balance_of', inputs: { account: address }, output: u256 },
      { name: 'balanceOf', inputs: { account: address }, output: u256 },
      { name: 'allowance', inputs: { owner: address, spender: address }, output: u256 },
      { name: 'total_supply', inputs: {}, output: u256 },
      { name: 'totalSupply', inputs: {}, output: u256 },
      { name: 'decimals', inputs: {}, output: u8 },
      { name: 'name', inputs: {}, output: text },
      { name: 'symbol', inputs: {}, output: text },
    ],
    [
      { name: 'Transfer', keys: { from: address, to: address }, data: { value: u256 } },
      { name: 'Approval', keys: { owner: address, spender: address }, data: { value: u256 } },
    ],
  ),
}
