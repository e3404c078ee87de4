// Gives accounts code that decides whether they take coin: raw instructions, so that each uses exactly the gas that a test needs.
import { type Address, concat, encodeFunctionData, type Hex, numberToHex, padHex, size } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { testToken } from './artifacts/test-token.ts'
import type { ContractFixture } from './contract.fixture.ts'

export const newAddress = (): Address => privateKeyToAddress(generatePrivateKey())

export async function accountWith({ request }: ContractFixture, code: Hex): Promise<Address> {
  const address = newAddress()
  await request({ method: 'hardhat_setCode', params: [address, code] })
  return address
}

/** One round takes 26 gas, and the rest of the code takes 3. */
const ROUND_GAS = 26
/** PUSH2 rounds; JUMPDEST, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 3, JUMPI; STOP. */
const working = (gas: number): Hex =>
  concat(['0x61', numberToHex(Math.floor((gas - 3) / ROUND_GAS), { size: 2 }), '0x5b600190038060035700'])

/** The contract gives 10,000 gas, and the machine adds 2,300 to a call with value. */
const GAS_TO_TAKE_COIN = 12_300

/** An account with such code refuses. */
export const refusals: Readonly<Record<string, Hex>> = {
  reverts: '0x5f5ffd',
  'burns all gas': '0x5b5f56',
  'has an invalid instruction': '0xfe',
  // The memory for it takes 11,648 gas.
  'reverts with 57,344 bytes': '0x61e0005ffd',
  'needs a little too much gas': working(GAS_TO_TAKE_COIN + 2 * ROUND_GAS),
}

/** An account with such code accepts. */
export const acceptances: Readonly<Record<string, Hex>> = {
  'has no code': '0x',
  'answers with 57,344 bytes': '0x61e0005ff3',
  'needs nearly all the gas there is': working(GAS_TO_TAKE_COIN - ROUND_GAS),
}

/** The account logs what the HTLC and then the token answer while it is paid coin. */
export function asking(htlc: Address, token: Address, orderId: Hex, self: Address): Hex {
  const questions = [
    [htlc, encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiatedAt', args: [orderId] })],
    [token, encodeFunctionData({ abi: testToken.abi, functionName: 'balanceOf', args: [self] })],
  ] as const
  return concat(questions.map(([to, data]) => askAndLog(to, data)))
}

/** MSTORE the question, STATICCALL, LOG0 the word that it answers. */
function askAndLog(to: Address, data: Hex): Hex {
  const padded = padHex(data, { dir: 'right', size: 64 })
  const [first, second] = [`0x${padded.slice(2, 66)}`, `0x${padded.slice(66)}`] as const
  const length = numberToHex(size(data), { size: 1 })
  return concat(['0x7f', first, '0x5f52', '0x7f', second, '0x602052', '0x60205f60', length, '0x5f73', to, '0x5afa50', '0x60205fa0'])
}
