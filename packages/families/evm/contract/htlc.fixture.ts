// Deploys an HTLC with funded parties, for contract tests.
import {
  type Abi,
  type Address,
  decodeEventLog,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  isAddressEqual,
  keccak256,
  maxUint256,
  numberToHex,
  type PrivateKeyAccount,
  padHex,
  type RpcTransactionReceipt,
  zeroAddress,
} from 'viem'
import { coreUserExistsStandIn } from './artifacts/core-user-exists-stand-in.ts'
import { htlcCore } from './artifacts/htlc-core.ts'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { htlcNative } from './artifacts/htlc-native.ts'
import { htlcTrc20 } from './artifacts/htlc-trc20.ts'
import { spotBalanceStandIn } from './artifacts/spot-balance-stand-in.ts'
import { testToken } from './artifacts/test-token.ts'
import { tetherTron } from './artifacts/tether-tron.ts'
import { tokenInfoStandIn } from './artifacts/token-info-stand-in.ts'
import { type ContractFixture, createContractFixture } from './contract.fixture.ts'
import { computeOrderId, createOrder, type HtlcDomain, type HtlcOrder, htlcCall } from './htlc-order.fixture.ts'

const htlcs = { 'ERC-20': htlcErc20, 'TRC-20': htlcTrc20, HyperCore: htlcCore, native: htlcNative } as const

export type HtlcKind = keyof typeof htlcs
export const htlcKinds = Object.keys(htlcs) as readonly HtlcKind[]

/** A HyperCore HTLC under test has this token index. No party has an account there, so the HTLC pays out on HyperEVM. */
const CORE_TOKEN = 1n

export interface HtlcSetup {
  readonly fixture: ContractFixture
  readonly htlc: Address
  readonly token: Address
  readonly domain: HtlcDomain
  readonly initiator: PrivateKeyAccount
  readonly redeemer: PrivateKeyAccount
  readonly stranger: PrivateKeyAccount
  newOrder(terms?: Partial<HtlcOrder>): HtlcOrder
  send(from: PrivateKeyAccount, data: Hex, value?: bigint): Promise<RpcTransactionReceipt>
  initiate(order: HtlcOrder): Promise<RpcTransactionReceipt>
  open(terms?: Partial<HtlcOrder>): Promise<HtlcOrder>
  orderId(order: HtlcOrder): Hex
  state(order: HtlcOrder): Promise<bigint>
  balance(address: Address): Promise<bigint>
  events(receipt: RpcTransactionReceipt): { readonly eventName: string; readonly args: unknown }[]
  expire(order: HtlcOrder, secondsEarly?: bigint): Promise<void>
}

export interface TokenArtifact {
  readonly abi: Abi
  readonly bytecode: Hex
  readonly args?: readonly unknown[]
}

const fundedAmount = 10n ** 12n

export interface SetupOptions {
  readonly fixture: ContractFixture
  readonly htlcBytecode: Hex
}

/** A token artefact replaces the plain token that the HTLC locks. The options replace the chain and the code of the HTLC. */
export async function createHtlcSetup(
  kind: HtlcKind,
  tokenArtifact?: TokenArtifact,
  options?: Pick<SetupOptions, 'fixture'> & Partial<SetupOptions>,
): Promise<HtlcSetup> {
  const fixture = options?.fixture ?? (await createContractFixture())
  const [initiator, redeemer, stranger] = fixture.accounts
  const token = kind === 'native' ? zeroAddress : await deployToken(fixture, kind, tokenArtifact)
  const htlcArtifact = htlcs[kind]
  const htlc = await fixture.deploy(
    { ...htlcArtifact, bytecode: options?.htlcBytecode ?? htlcArtifact.bytecode },
    kind === 'native' ? [] : kind === 'HyperCore' ? [await linkToCore(fixture, token)] : [token],
  )
  const domain: HtlcDomain = { name: kind === 'native' ? 'HTLC-Native' : 'HTLC-ERC20', chainId: fixture.chainId, verifyingContract: htlc }
  if (kind !== 'native') for (const payer of [initiator, stranger]) await fundWithToken(fixture, token, payer, htlc)

  const setup: HtlcSetup = {
    fixture,
    htlc,
    token,
    domain,
    initiator,
    redeemer,
    stranger,
    newOrder: (terms = {}) => createOrder({ initiator: initiator.address, redeemer: redeemer.address, ...terms }),
    send: (from, data, value = 0n) => fixture.send({ from, to: htlc, data, value }),
    initiate: (order) => setup.send(initiator, htlcCall.initiate(order), kind === 'native' ? order.amount : 0n),
    async open(terms) {
      const order = setup.newOrder(terms)
      await setup.initiate(order)
      return order
    },
    orderId: (order) => computeOrderId(domain, order),
    async state(order) {
      const data = encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiatedAt', args: [setup.orderId(order)] })
      return hexToBigInt(await fixture.read(htlc, data))
    },
    async balance(address) {
      if (kind === 'native') return fixture.nativeBalance(address)
      return hexToBigInt(await fixture.read(token, encodeFunctionData({ abi: testToken.abi, functionName: 'balanceOf', args: [address] })))
    },
    events: (receipt) =>
      receipt.logs
        .filter((log) => isAddressEqual(log.address, htlc))
        .map(({ data, topics }) => decodeEventLog({ abi: htlcErc20.abi, data, topics })),
    async expire(order, secondsEarly = 0n) {
      const timestamp = numberToHex((await setup.state(order)) + order.timelock - secondsEarly)
      await fixture.request({ method: 'evm_setNextBlockTimestamp', params: [timestamp] })
    },
  }
  return setup
}

function deployToken(fixture: ContractFixture, kind: HtlcKind, artifact: TokenArtifact | undefined): Promise<Address> {
  if (artifact !== undefined) return fixture.deploy(artifact, artifact.args)
  return fixture.deploy(kind === 'TRC-20' ? tetherTron : testToken, ['Test', 'TEST', 8])
}

/** The simulator contracts of HyperEVM's reads link the token unit for unit. */
async function linkToCore({ request }: ContractFixture, token: Address): Promise<bigint> {
  const tokenInfo = padHex('0x80c', { size: 20 })
  const reads = [
    [padHex('0x801', { size: 20 }), spotBalanceStandIn],
    [tokenInfo, tokenInfoStandIn],
    [padHex('0x810', { size: 20 }), coreUserExistsStandIn],
  ] as const
  for (const [address, { bytecode }] of reads) {
    const code = await request({ method: 'eth_call', params: [{ data: bytecode }] })
    await request({ method: 'hardhat_setCode', params: [address, code] })
  }
  const decimalsPlusOne = 9n
  for (const [field, value] of [BigInt(token), decimalsPlusOne].entries()) {
    const slot = keccak256(encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [CORE_TOKEN, BigInt(field)]))
    await request({ method: 'hardhat_setStorageAt', params: [tokenInfo, slot, numberToHex(value, { size: 32 })] })
  }
  return CORE_TOKEN
}

export async function fundWithToken(fixture: ContractFixture, token: Address, payer: PrivateKeyAccount, htlc: Address): Promise<void> {
  const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [payer.address, fundedAmount] })
  const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [htlc, maxUint256] })
  await fixture.send({ from: payer, to: token, data: mint })
  await fixture.send({ from: payer, to: token, data: approve })
}
