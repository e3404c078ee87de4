// Makes what an initiator signs so that an HTLC takes its tokens without an allowance, and a setup with a token that knows it.
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, hexToBigInt, maxUint256 } from 'viem'
import { permit2StandIn } from './artifacts/permit2-stand-in.ts'
import { signingToken } from './artifacts/signing-token.ts'
import { testToken } from './artifacts/test-token.ts'
import { type ContractFixture, createContractFixture } from './contract.fixture.ts'
import { createHtlcSetup, type HtlcSetup, type SetupOptions, type TokenArtifact } from './htlc.fixture.ts'
import { computeOrderId, type HtlcDomain, type HtlcOrder } from './htlc-order.fixture.ts'

export const PERMIT2: Address = '0x000000000022d473030f116ddee9f6b43ac78ba3'

export interface TokenDomain {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: Address
}

/** No test runs as long as until this time. */
export const later = 2n ** 40n

export function authorizationTypedData(token: TokenDomain, htlc: HtlcDomain, order: HtlcOrder, validBefore = later) {
  return {
    domain: token,
    types: {
      ReceiveWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'ReceiveWithAuthorization',
    message: {
      from: order.initiator,
      to: htlc.verifyingContract,
      value: order.amount,
      validAfter: 0n,
      validBefore,
      nonce: computeOrderId(htlc, order),
    },
  } as const
}

export function permitTypedData(token: TokenDomain, htlc: HtlcDomain, order: HtlcOrder, nonce: bigint, deadline = later) {
  return {
    domain: token,
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { owner: order.initiator, spender: htlc.verifyingContract, value: order.amount, nonce, deadline },
  } as const
}

export function permit2TypedData(token: Address, htlc: HtlcDomain, order: HtlcOrder, deadline = later) {
  const { redeemer, timelock, amount, secretHash } = order
  return {
    domain: { name: 'Permit2', chainId: htlc.chainId, verifyingContract: PERMIT2 },
    types: {
      PermitWitnessTransferFrom: [
        { name: 'permitted', type: 'TokenPermissions' },
        { name: 'spender', type: 'address' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
        { name: 'witness', type: 'Initiate' },
      ],
      Initiate: [
        { name: 'redeemer', type: 'address' },
        { name: 'timelock', type: 'uint256' },
        { name: 'amount', type: 'uint256' },
        { name: 'secretHash', type: 'bytes32' },
      ],
      TokenPermissions: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ],
    },
    primaryType: 'PermitWitnessTransferFrom',
    message: {
      permitted: { token, amount },
      spender: htlc.verifyingContract,
      nonce: hexToBigInt(computeOrderId(htlc, order)),
      deadline,
      witness: { redeemer, timelock, amount, secretHash },
    },
  } as const
}

/** `approve` gives an allowance of the initiator, who has given none yet. */
export interface SigningSetup extends HtlcSetup {
  readonly tokenDomain: TokenDomain
  permitNonce(): Promise<bigint>
  approve(spender: Address, amount?: bigint): Promise<unknown>
}

/** `permit2` is code in place of the stand-in. */
export async function createSigningSetup(
  artifact?: TokenArtifact,
  options?: Partial<SetupOptions> & { readonly permit2?: Hex },
): Promise<SigningSetup> {
  const fixture = options?.fixture ?? (await createContractFixture())
  await putPermit2(fixture, options?.permit2)
  const constructed = artifact ?? { ...signingToken, args: ['Signing', 'SIGN', 8, '2'] }
  const setup = await createHtlcSetup('ERC-20', constructed, { ...options, fixture })
  const [name, version] = [await nameOf(fixture, setup.token), artifact === undefined ? '2' : '1']
  const approve = (spender: Address, amount = maxUint256) => {
    const data = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [spender, amount] })
    return fixture.send({ from: setup.initiator, to: setup.token, data })
  }
  await approve(setup.htlc, 0n)
  return {
    ...setup,
    tokenDomain: { name, version, chainId: fixture.chainId, verifyingContract: setup.token },
    async permitNonce() {
      const data = encodeFunctionData({ abi: signingToken.abi, functionName: 'nonces', args: [setup.initiator.address] })
      return hexToBigInt(await fixture.read(setup.token, data))
    },
    approve,
  }
}

async function nameOf(fixture: ContractFixture, token: Address): Promise<string> {
  const data = await fixture.read(token, encodeFunctionData({ abi: testToken.abi, functionName: 'name' }))
  return decodeFunctionResult({ abi: testToken.abi, functionName: 'name', data })
}

async function putPermit2(fixture: Pick<ContractFixture, 'request'>, published?: Hex): Promise<void> {
  const code = published ?? ((await fixture.request({ method: 'eth_call', params: [{ data: permit2StandIn.bytecode }] })) as Hex)
  await fixture.request({ method: 'hardhat_setCode', params: [PERMIT2, code] })
}
