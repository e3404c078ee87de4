/** Guesses the EIP-712 domain of a token from what the token says about itself. A trial decides which guess is right. */

import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { TokenDomain } from '../../terms/one-signature.ts'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'

const abi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
])

/** The text is signed and shown, so a token that has more to say has no domain. */
const MAX_TEXT = 100
/** EIP-2612 tokens without a `version` mostly have the first one. */
const USUAL_VERSIONS = ['1', '2'] as const

/** What the token says itself is first. Few tokens have their chain in the salt, so those guesses are last. */
export async function guessDomains(node: EvmNode, token: Address): Promise<readonly TokenDomain[]> {
  const [described, name, version] = await Promise.all([
    ask(node, token, 'eip712Domain', (data) => {
      const [, name, version] = decodeFunctionResult({ abi, functionName: 'eip712Domain', data })
      return { name, version }
    }),
    ask(node, token, 'name', (data) => decodeFunctionResult({ abi, functionName: 'name', data })),
    ask(node, token, 'version', (data) => decodeFunctionResult({ abi, functionName: 'version', data })),
  ])
  const versions = new Set([...(version === null ? [] : [version]), ...USUAL_VERSIONS])
  const named = name === null ? [] : [...versions].map((version) => ({ name, version }))
  const guesses = described === null ? named : [described, ...named]
  const fitting = guesses.filter(({ name, version }) => name.length <= MAX_TEXT && version.length <= MAX_TEXT)
  const distinct = [...new Map(fitting.map((guess) => [JSON.stringify(guess), guess])).values()]
  return [...distinct, ...distinct.map((guess) => ({ ...guess, chainIsSalt: true as const }))]
}

async function ask<T>(
  node: EvmNode,
  token: Address,
  functionName: 'name' | 'version' | 'eip712Domain',
  decode: (data: Hex) => T,
): Promise<T | null> {
  const answer = await answerOf(node, token, encodeFunctionData({ abi, functionName }))
  if (answer === null) return null
  try {
    return decode(answer)
  } catch {
    // The token means something else by the name.
    return null
  }
}

/** Null means that the token refuses the call, or that the node simulates no such call: some refuse a contract as the sender. */
export async function answerOf(node: EvmNode, to: Address, data: Hex, from?: Address): Promise<Hex | null> {
  try {
    return await node.call({ to, data, ...(from !== undefined && { from }) })
  } catch (error) {
    if (error instanceof NodeRefusal) return null
    throw error
  }
}
