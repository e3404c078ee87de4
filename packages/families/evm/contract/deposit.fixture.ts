// An HTLC with deposit addresses, and what parties and strangers do with them.
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBigInt,
  numberToHex,
  type PrivateKeyAccount,
  type RpcTransactionReceipt,
  slice,
  zeroAddress,
} from 'viem'
import { expect } from 'vitest'
import { depositAccount } from './artifacts/deposit-account.ts'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { testToken } from './artifacts/test-token.ts'
import { tronDepositAccount } from './artifacts/tron-deposit-account.ts'
import { createHtlcSetup, type HtlcKind, type HtlcSetup, htlcKinds, type SetupOptions, type TokenArtifact } from './htlc.fixture.ts'
import { computeDepositAddress, type HtlcOrder, htlcCall, type OrderDeposit } from './htlc-order.fixture.ts'

export const depositKinds = htlcKinds.filter((kind) => kind !== 'HyperCore')

export interface DepositSetup extends HtlcSetup {
  /** The zero address stands for the native coin. */
  readonly asset: Address
  newDeposit(terms?: Partial<HtlcOrder>): OrderDeposit
  addressOf(deposit: OrderDeposit): Promise<Address>
  /** A plain transfer by a stranger. */
  pay(deposit: OrderDeposit, amount: bigint): Promise<unknown>
  paid(surplus?: bigint): Promise<OrderDeposit>
  held(deposit: OrderDeposit): Promise<bigint>
  balances(addresses: readonly Address[]): Promise<readonly bigint[]>
  initiateDeposit(deposit: OrderDeposit): Promise<RpcTransactionReceipt>
  reclaim(deposit: OrderDeposit, caller?: PrivateKeyAccount): Promise<RpcTransactionReceipt>
  attempt(data: Hex, caller?: PrivateKeyAccount): Promise<string | null>
  /** The whole amount goes to the initiator, and the event says so. */
  expectReturn(deposit: OrderDeposit, amount: bigint, caller: PrivateKeyAccount): Promise<void>
  returned(deposit: OrderDeposit, token: Address, amount: bigint): Promise<{ readonly eventName: string; readonly args: object }>
  mint(token: Address, to: Address, amount: bigint): Promise<unknown>
  otherToken(holder: Address, amount: bigint): Promise<Address>
  tokenBalance(token: Address, of: Address): Promise<bigint>
  /** The next block has this time. */
  setTime(seconds: bigint): Promise<void>
}

const hour = 3600n

export async function createDepositSetup(
  kind: HtlcKind,
  tokenArtifact?: TokenArtifact,
  options?: Pick<SetupOptions, 'fixture'> & Partial<SetupOptions> & { readonly asksForAddress?: true },
): Promise<DepositSetup> {
  const inner = await createHtlcSetup(kind, tokenArtifact, options)
  const { fixture, htlc, token, stranger } = inner
  const accountCode = kind === 'TRC-20' ? tronDepositAccount.bytecode : depositAccount.bytecode
  const asset = kind === 'native' ? zeroAddress : token
  const latest = (await fixture.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex }
  let deadline = hexToBigInt(latest.timestamp) + hour

  const mint = (of: Address, to: Address, amount: bigint) =>
    fixture.send({ from: stranger, to: of, data: encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [to, amount] }) })

  const setup: DepositSetup = {
    ...inner,
    asset,
    newDeposit: (terms) => {
      deadline += hour
      return { chainId: fixture.chainId, order: inner.newOrder(terms), deadline }
    },
    async addressOf(deposit) {
      // The account of a contract that was compiled otherwise has another code.
      if (options?.asksForAddress !== true) return computeDepositAddress(htlc, deposit, { accountCode })
      return getAddress(slice(await fixture.read(htlc, htlcCall.depositAddressFrom(deposit)), 12))
    },
    async pay(deposit, amount) {
      const to = await setup.addressOf(deposit)
      if (kind === 'native') return fixture.send({ from: stranger, to, value: amount })
      return fixture.send({
        from: stranger,
        to: token,
        data: encodeFunctionData({ abi: testToken.abi, functionName: 'transfer', args: [to, amount] }),
      })
    },
    async paid(surplus = 0n) {
      const deposit = setup.newDeposit()
      await setup.pay(deposit, deposit.order.amount + surplus)
      return deposit
    },
    held: async (deposit) => inner.balance(await setup.addressOf(deposit)),
    async balances(addresses) {
      const call = { abi: htlcErc20.abi, functionName: 'balancesOfEach' } as const
      const data = await fixture.read(htlc, encodeFunctionData({ ...call, args: [addresses] }))
      return decodeFunctionResult({ ...call, data })
    },
    initiateDeposit: (deposit) => inner.send(stranger, htlcCall.initiateDeposit(deposit)),
    reclaim: (deposit, caller = stranger) => inner.send(caller, htlcCall.reclaimDeposited(deposit, asset)),
    attempt: async (data, caller = stranger) => (await fixture.attempt({ from: caller.address, to: htlc, data })).error,
    async expectReturn(deposit, amount, caller) {
      const before = await inner.balance(deposit.order.initiator)
      const receipt = await setup.reclaim(deposit, caller)
      const gas =
        kind === 'native' && caller.address === deposit.order.initiator
          ? hexToBigInt(receipt.gasUsed) * hexToBigInt(receipt.effectiveGasPrice)
          : 0n
      expect(await inner.balance(deposit.order.initiator)).toBe(before + amount - gas)
      expect(await setup.held(deposit)).toBe(0n)
      expect(inner.events(receipt)).toEqual([await setup.returned(deposit, asset, amount)])
    },
    returned: async (deposit, of, amount) => ({
      eventName: 'DepositReturned',
      args: { account: await setup.addressOf(deposit), initiator: getAddress(deposit.order.initiator), token: getAddress(of), amount },
    }),
    mint,
    async otherToken(holder, amount) {
      const other = await fixture.deploy(testToken, ['Other', 'OTHER', 18])
      await mint(other, holder, amount)
      return other
    },
    async tokenBalance(of, owner) {
      return hexToBigInt(await fixture.read(of, encodeFunctionData({ abi: testToken.abi, functionName: 'balanceOf', args: [owner] })))
    },
    async setTime(seconds) {
      await fixture.request({ method: 'evm_setNextBlockTimestamp', params: [numberToHex(seconds)] })
    },
  }
  return setup
}
