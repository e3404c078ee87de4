/**
 * Finds out by trial what a token takes a signature for. An account that exists nowhere else signs for amounts of zero; the node simulates
 * the calls. The token must take what was signed, and refuse everything else: tokens exist that take every call, or from every caller.
 */

import { type Address, encodeFunctionData, type Hex, hexToBigInt, type PrivateKeyAccount, parseAbi, parseSignature, size } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { HtlcContract } from '../../terms/htlc.ts'
import {
  type Authorization,
  authorizationData,
  PERMIT2,
  type Permit,
  permit2Data,
  permitData,
  type TokenDomain,
  type TypedData,
} from '../../terms/one-signature.ts'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import { isRevert } from '../send/revert.ts'
import { signable, witnessHash } from './signable.ts'
import { answerOf, guessDomains } from './token-domain.ts'

const abi = parseAbi([
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function nonces(address owner) view returns (uint256)',
])
const permit2Abi = parseAbi([
  'function permitWitnessTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes32 witness, string witnessTypeString, bytes signature)',
])

/** No chain's clock gets there. */
const LATER = 2n ** 48n

/** The domain belongs to what the token takes; null means that it does not take it. */
export type TokenAbilities = {
  readonly authorization: TokenDomain | null
  readonly permit: TokenDomain | null
  readonly permit2: boolean
}

type Token = HtlcContract & { readonly token: Address }

export async function tryToken(node: EvmNode, contract: Token): Promise<TokenAbilities> {
  const domains = await guessDomains(node, contract.token)
  const [authorization, permit, permit2] = await Promise.all([
    firstOf(domains, (domain) => takesAuthorizations(node, contract, domain)),
    firstOf(domains, (domain) => takesPermits(node, contract, domain)),
    takesPermit2(node, contract),
  ])
  return { authorization, permit, permit2 }
}

async function firstOf(domains: readonly TokenDomain[], isRight: (domain: TokenDomain) => Promise<boolean>): Promise<TokenDomain | null> {
  for (const domain of domains) if (await isRight(domain)) return domain
  return null
}

const newAccount = () => privateKeyToAccount(generatePrivateKey())

/** A refusal that is the node's own says nothing about the token. */
type Outcome = 'taken' | 'reverted' | 'unknown'

async function outcomeOf(node: EvmNode, to: Address, data: Hex, from?: Address): Promise<Outcome> {
  try {
    await node.call({ to, data, ...(from !== undefined && { from }) })
    return 'taken'
  } catch (error) {
    if (error instanceof NodeRefusal) return isRevert(error) ? 'reverted' : 'unknown'
    throw error
  }
}

/** Whether the token takes exactly this, and refuses each of the others. It must be the token that does: users would lose money to one that does not. */
async function takesOnly(right: () => Promise<Outcome>, wrong: readonly (() => Promise<Outcome>)[]): Promise<boolean> {
  if ((await right()) !== 'taken') return false
  return (await Promise.all(wrong.map((one) => one()))).every((outcome) => outcome === 'reverted')
}

async function takesAuthorizations(node: EvmNode, { chainId, address, token }: Token, domain: TokenDomain): Promise<boolean> {
  const [user, other] = [newAccount(), newAccount()]
  const signed: Authorization = { from: lower(user), to: address, value: 0n, validBefore: LATER, nonce: generatePrivateKey() }
  const takes =
    (given: { signer?: PrivateKeyAccount; signed?: Partial<Authorization>; caller?: Address; shown?: Partial<Authorization> } = {}) =>
    async () => {
      const data = authorizationData(chainId, token, domain, { ...signed, ...given.signed })
      const { v, r, s } = await partsOf(given.signer ?? user, data)
      const { from, to, value, validBefore, nonce } = { ...signed, ...given.shown }
      const call = encodeFunctionData({
        abi,
        functionName: 'receiveWithAuthorization',
        args: [from, to, value, 0n, validBefore, nonce, v, r, s],
      })
      return outcomeOf(node, token, call, given.caller ?? address)
    }
  return takesOnly(takes(), [
    takes({ signer: other }),
    // Anybody else could move the money of an order here without the order.
    takes({ caller: lower(other) }),
    takes({ signed: { to: lower(other) } }),
    takes({ signed: { value: 1n } }),
    takes({ signed: { nonce: generatePrivateKey() } }),
    takes({ signed: { validBefore: LATER + 1n } }),
    takes({ signed: { validBefore: 1n }, shown: { validBefore: 1n } }),
  ])
}

async function takesPermits(node: EvmNode, { chainId, address, token }: Token, domain: TokenDomain): Promise<boolean> {
  const [user, other] = [newAccount(), newAccount()]
  const nonce = await permitNonce(node, token, lower(user))
  if (nonce === null) return false
  const signed: Permit = { owner: lower(user), spender: address, value: 1n, nonce, deadline: LATER }
  const takes =
    (given: { signer?: PrivateKeyAccount; signed?: Partial<Permit>; shown?: Partial<Permit> } = {}) =>
    async () => {
      const { v, r, s } = await partsOf(given.signer ?? user, permitData(chainId, token, domain, { ...signed, ...given.signed }))
      const { owner, spender, value, deadline } = { ...signed, ...given.shown }
      const call = encodeFunctionData({ abi, functionName: 'permit', args: [owner, spender, value, deadline, v, r, s] })
      return outcomeOf(node, token, call)
    }
  return takesOnly(takes(), [
    takes({ signer: other }),
    takes({ signed: { spender: lower(other) } }),
    takes({ signed: { value: 2n } }),
    takes({ signed: { nonce: nonce + 1n } }),
    takes({ signed: { deadline: 1n }, shown: { deadline: 1n } }),
  ])
}

/** Null means that the token counts no permits. */
export async function permitNonce(node: EvmNode, token: Address, owner: Address): Promise<bigint | null> {
  const answer = await answerOf(node, token, encodeFunctionData({ abi, functionName: 'nonces', args: [owner] }))
  return answer === null || size(answer) !== 32 ? null : hexToBigInt(answer)
}

const WITNESS_TYPE =
  'Initiate witness)Initiate(address redeemer,uint256 timelock,uint256 amount,bytes32 secretHash)TokenPermissions(address token,uint256 amount)'

/** Permit2 must be there, and the token must let it move zero. Where it is not, every call succeeds, the wrong ones too. */
async function takesPermit2(node: EvmNode, contract: Token): Promise<boolean> {
  const { address, token } = contract
  const [user, other] = [newAccount(), newAccount()]
  const terms = {
    asset: 'trial:trial' as const,
    initiator: lower(user),
    redeemer: lower(other),
    timelock: 1n,
    amount: 0n,
    secretHash: generatePrivateKey().slice(2),
  }
  const data = permit2Data(contract, token, terms, LATER)
  const takes = (signer: PrivateKeyAccount, caller: Address) => async () => {
    const signature = await signer.signTypedData(signable(data))
    const args = [
      { permitted: { token, amount: 0n }, nonce: BigInt(String(data.message.nonce)), deadline: LATER },
      { to: address, requestedAmount: 0n },
      terms.initiator,
      witnessHash(data),
      WITNESS_TYPE,
      signature,
    ] as const
    const call = encodeFunctionData({ abi: permit2Abi, functionName: 'permitWitnessTransferFrom', args })
    return outcomeOf(node, PERMIT2, call, caller)
  }
  return takesOnly(takes(user, address), [takes(other, address), takes(user, lower(other))])
}

const lower = ({ address }: PrivateKeyAccount) => address.toLowerCase() as Address

async function partsOf(signer: PrivateKeyAccount, data: TypedData): Promise<{ v: number; r: Hex; s: Hex }> {
  const { r, s, yParity } = parseSignature(await signer.signTypedData(signable(data)))
  return { v: yParity + 27, r, s }
}
