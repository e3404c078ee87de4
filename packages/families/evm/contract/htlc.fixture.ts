// A deployed HTLC with funded parties, for contract tests.
import {
  type Abi,
  type Address,
  decodeEventLog,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  isAddressEqual,
  maxUint256,
  numberToHex,
  type PrivateKeyAccount,
  type RpcTransactionReceipt,
  zeroAddress,
} from 'viem'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { htlcNative } from './artifacts/htlc-native.ts'
import { htlcTrc20 } from './artifacts/htlc-trc20.ts'
import { testToken } from './artifacts/test-token.ts'
import { tetherTron } from './artifacts/tether-tron.ts'
import { type ContractFixture, createContractFixture } from './contract.fixture.ts'
import { computeOrderId, createOrder, type HtlcDomain, type HtlcOrder, htlcCall } from './htlc-order.fixture.ts'

export type HtlcKind = 'ERC-20' | 'TRC-20' | 'native'

const htlcs = { 'ERC-20': htlcErc20, 'TRC-20': htlcTrc20, native: htlcNative } as const

export interface HtlcSetup {
  readonly fixture: ContractFixture
  readonly htlc: Address
  /** The zero address for the native coin. */
  readonly token: Address
  readonly domain: HtlcDomain
  readonly initiator: PrivateKeyAccount
  readonly redeemer: PrivateKeyAccount
  /** Not a party of any order; funded like the initiator. */
  readonly stranger: PrivateKeyAccount
  newOrder(terms?: Partial<HtlcOrder>): HtlcOrder
  /** Calls the HTLC. */
  send(from: PrivateKeyAccount, data: Hex, value?: bigint): Promise<RpcTransactionReceipt>
  /** Pays for an order in the way of its kind. */
  initiate(order: HtlcOrder): Promise<RpcTransactionReceipt>
  /** A new order that is funded. */
  open(terms?: Partial<HtlcOrder>): Promise<HtlcOrder>
  orderId(order: HtlcOrder): Hex
  state(order: HtlcOrder): Promise<bigint>
  balance(address: Address): Promise<bigint>
  events(receipt: RpcTransactionReceipt): { readonly eventName: string; readonly args: unknown }[]
  /** Gives the next block the first timestamp at which the order can be refunded, or one so many seconds earlier. */
  expire(order: HtlcOrder, secondsEarly?: bigint): Promise<void>
}

export interface TokenArtifact {
  readonly abi: Abi
  readonly bytecode: Hex
}

const fundedAmount = 10n ** 12n

/** Another chain to run on, or another HTLC to deploy. */
export interface SetupOptions {
  readonly fixture: ContractFixture
  readonly htlcBytecode: Hex
}

/** With a token artefact of its own, the HTLC locks that token instead of a plain one. */
export async function createHtlcSetup(kind: HtlcKind, tokenArtifact?: TokenArtifact, options?: SetupOptions): Promise<HtlcSetup> {
  const fixture = options?.fixture ?? (await createContractFixture())
  const [initiator, redeemer, stranger] = fixture.accounts
  const token = kind === 'native' ? zeroAddress : await deployToken(fixture, kind, tokenArtifact)
  const htlcArtifact = htlcs[kind]
  const htlc = await fixture.deploy(
    { ...htlcArtifact, bytecode: options?.htlcBytecode ?? htlcArtifact.bytecode },
    kind === 'native' ? [] : [token],
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
  if (artifact !== undefined) return fixture.deploy(artifact)
  return fixture.deploy(kind === 'TRC-20' ? tetherTron : testToken, ['Test', 'TEST', 8])
}

async function fundWithToken(fixture: ContractFixture, token: Address, payer: PrivateKeyAccount, htlc: Address): Promise<void> {
  const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [payer.address, fundedAmount] })
  const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [htlc, maxUint256] })
  await fixture.send({ from: payer, to: token, data: mint })
  await fixture.send({ from: payer, to: token, data: approve })
}
