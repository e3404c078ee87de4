// Random sequences of calls by several users against the contracts: money in equals money out, nobody is paid twice, and nothing is stuck.
import fc from 'fast-check'
import { type Address, encodeFunctionData, type Hex, hexToBigInt, numberToHex, toHex, zeroAddress } from 'viem'
import { beforeAll, expect, it } from 'vitest'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { htlcNative } from './artifacts/htlc-native.ts'
import { htlcTrc20 } from './artifacts/htlc-trc20.ts'
import { testToken } from './artifacts/test-token.ts'
import { tetherTron } from './artifacts/tether-tron.ts'
import { type ContractFixture, createContractFixture } from './contract.fixture.ts'
import type { HtlcKind } from './htlc.fixture.ts'
import { createHtlcModel, type HtlcModel } from './htlc-model.fixture.ts'
import {
  computeOrderId,
  createOrder,
  type HtlcDomain,
  type HtlcOrder,
  htlcCall,
  initiateTypedData,
  refundTypedData,
} from './htlc-order.fixture.ts'
import { type Account, type Party, type Step, type StepOf, steps, type Terms, type TokenKind, type Twist } from './htlc-steps.fixture.ts'

const sequences = 200
const tokenKinds = ['ERC-20', 'TRC-20'] as const
const kinds = [...tokenKinds, 'native'] as const
const month = 31n * 86_400n
const funded = 10n ** 12n
const redeemed = 1n
const { secret, secretHash } = createOrder({ initiator: zeroAddress, redeemer: zeroAddress })
const wrongSecret = { secret, secretHash }

let fixture: ContractFixture
let tokens: Readonly<Record<TokenKind, Address>>
let domains: Readonly<Record<HtlcKind, HtlcDomain>>
let snapshot: unknown

beforeAll(async () => {
  fixture = await createContractFixture()
  tokens = {
    'ERC-20': await fixture.deploy(testToken, ['Test', 'TEST', 8]),
    'TRC-20': await fixture.deploy(tetherTron, ['Test', 'TEST', 8]),
  }
  const domain = (name: HtlcDomain['name'], verifyingContract: Address) => ({ name, chainId: fixture.chainId, verifyingContract })
  domains = {
    'ERC-20': domain('HTLC-ERC20', await fixture.deploy(htlcErc20, [tokens['ERC-20']])),
    'TRC-20': domain('HTLC-ERC20', await fixture.deploy(htlcTrc20, [tokens['TRC-20']])),
    native: domain('HTLC-Native', await fixture.deploy(htlcNative)),
  }
  const mint = (to: Address) => encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [to, funded] })
  for (const kind of tokenKinds) {
    const args = [domains[kind].verifyingContract, funded] as const
    const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args })
    for (const account of fixture.accounts) {
      await fixture.send({ from: account, to: tokens[kind], data: mint(account.address) })
      await fixture.send({ from: account, to: tokens[kind], data: approve })
    }
  }
  snapshot = await fixture.request({ method: 'evm_snapshot' })
})

/** One sequence from a fresh state: the chain and the model side by side. */
async function createRun() {
  await fixture.request({ method: 'evm_revert', params: [snapshot] })
  snapshot = await fixture.request({ method: 'evm_snapshot' })
  const latest = (await fixture.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex }
  let now = hexToBigInt(latest.timestamp) + 1n
  const models: Record<HtlcKind, HtlcModel> = {
    'ERC-20': createHtlcModel((order) => computeOrderId(domains['ERC-20'], order)),
    'TRC-20': createHtlcModel((order) => computeOrderId(domains['TRC-20'], order)),
    native: createHtlcModel((order) => computeOrderId(domains.native, order)),
  }
  const mentioned: Record<HtlcKind, HtlcOrder[]> = { 'ERC-20': [], 'TRC-20': [], native: [] }
  const donated = { 'ERC-20': 0n, 'TRC-20': 0n }
  /** What each account has to hold, of the token and of the native coin. */
  const due: Record<HtlcKind, Map<Address, bigint>> = {
    'ERC-20': new Map(),
    'TRC-20': new Map(),
    native: new Map(),
  }
  for (const { address } of fixture.accounts) {
    for (const kind of tokenKinds) due[kind].set(address, await tokenBalance(kind, address))
    due.native.set(address, await fixture.nativeBalance(address))
  }
  const give = (kind: HtlcKind, to: Address, amount: bigint) => due[kind].set(to, (due[kind].get(to) ?? 0n) + amount)

  const orderOf = (kind: HtlcKind, terms: Terms): HtlcOrder => {
    const secret = toHex(terms.secret, { size: 32 })
    const order = createOrder({ ...terms, initiator: addressOf(terms.initiator), redeemer: addressOf(terms.redeemer), secret })
    mentioned[kind].push(order)
    return order
  }
  const picked = (kind: HtlcKind, pick: number, twist: Twist = 'none'): HtlcOrder => {
    const known = mentioned[kind]
    const order = known[pick % known.length] ?? orderOf(kind, { initiator: 0, redeemer: 1, timelock: 60n, amount: 1n, secret: 0 })
    const twisted: Record<Twist, Partial<HtlcOrder>> = {
      none: {},
      secret: wrongSecret,
      amount: { amount: order.amount + 1n },
      redeemer: { redeemer: addressOf(2) },
      timelock: { timelock: order.timelock === 60n ? 1n : 60n },
    }
    return { ...order, ...twisted[twist] }
  }

  /** Mines a call at the model's time; whoever makes it pays for its gas. */
  async function mine(caller: Account, to: Address, data: Hex, value = 0n): Promise<string | null> {
    await fixture.request({ method: 'evm_setNextBlockTimestamp', params: [numberToHex(now)] })
    const { receipt, error } = await fixture.attempt({ from: addressOf(caller), to, data, value })
    give('native', addressOf(caller), -hexToBigInt(receipt.gasUsed) * hexToBigInt(receipt.effectiveGasPrice))
    return error
  }

  async function open(kind: HtlcKind, caller: Account, payer: Address, order: HtlcOrder, data: Hex, refusal: string | null): Promise<void> {
    const expected = refusal ?? models[kind].open(order, now)
    const error = await mine(caller, domains[kind].verifyingContract, data, kind === 'native' ? order.amount : 0n)
    expect(error).toBe(expected)
    if (error === null) give(kind, payer, -order.amount)
  }

  async function settle(
    kind: HtlcKind,
    caller: Account,
    payee: Address,
    amount: bigint,
    data: Hex,
    expected: string | null,
  ): Promise<void> {
    const error = await mine(caller, domains[kind].verifyingContract, data)
    expect(error).toBe(expected)
    if (error === null) give(kind, payee, amount)
  }

  const actions: { readonly [Call in Step['call']]: (step: StepOf<Call>) => Promise<void> } = {
    async initiate({ kind, caller, terms }) {
      const order = orderOf(kind, { ...terms, initiator: caller })
      await open(kind, caller, order.initiator, order, htlcCall.initiate(order), null)
    },
    async initiateOnBehalf({ kind, caller, terms }) {
      const order = orderOf(kind, terms)
      const refusal = order.initiator === zeroAddress ? 'HTLC__ZeroAddressInitiator' : null
      await open(kind, caller, addressOf(caller), order, htlcCall.initiateOnBehalf(order), refusal)
    },
    async initiateWithSignature({ kind, caller, signer, terms }) {
      const order = orderOf(kind, terms)
      const signature = await fixture.accounts[signer].signTypedData(initiateTypedData(domains[kind], order))
      const refusal = signer === terms.initiator ? null : 'HTLC__InvalidSignature'
      await open(kind, caller, order.initiator, order, htlcCall.initiateWithSignature(order, signature), refusal)
    },
    async redeem({ kind, caller, pick, twist }) {
      const order = picked(kind, pick, twist)
      await settle(kind, caller, order.redeemer, order.amount, htlcCall.redeem(order), models[kind].redeem(order))
    },
    async redeemBatch({ kind, caller, redeemer, picks }) {
      const orders = picks.map((pick) => picked(kind, pick))
      const [to, data] = [addressOf(redeemer), htlcCall.redeemBatch(addressOf(redeemer), orders)]
      await settle(kind, caller, to, models[kind].redeemBatch(to, orders), data, null)
    },
    async refund({ kind, caller, pick, twist }) {
      const order = picked(kind, pick, twist)
      await settle(kind, caller, order.initiator, order.amount, htlcCall.refund(order), models[kind].refund(order, now))
    },
    async instantRefund({ kind, caller, signer, pick, twist }) {
      const order = picked(kind, pick, twist)
      const signature = await fixture.accounts[signer].signTypedData(refundTypedData(domains[kind], order))
      const hasConsent = [addressOf(signer), addressOf(caller)].includes(order.redeemer)
      const expected = models[kind].instantRefund(order, hasConsent)
      await settle(kind, caller, order.initiator, order.amount, htlcCall.instantRefund(order, signature), expected)
    },
    async revoke({ kind, caller, terms }) {
      const order = orderOf(kind, { ...terms, initiator: caller })
      expect(await mine(caller, domains[kind].verifyingContract, htlcCall.revoke(order))).toBe(models[kind].revoke(order))
    },
    async wait({ seconds }) {
      now += seconds
    },
    async donate({ kind, caller, amount }) {
      const data = encodeFunctionData({ abi: testToken.abi, functionName: 'transfer', args: [domains[kind].verifyingContract, amount] })
      expect(await mine(caller, tokens[kind], data)).toBeNull()
      give(kind, addressOf(caller), -amount)
      donated[kind] += amount
    },
  }

  return {
    take<Call extends Step['call']>(step: StepOf<Call>): Promise<void> {
      return actions[step.call](step)
    },
    /** The contracts hold the amounts of open orders, and what was sent to them directly. */
    async checkLocked(): Promise<void> {
      for (const kind of tokenKinds)
        expect(await tokenBalance(kind, domains[kind].verifyingContract)).toBe(models[kind].locked() + donated[kind])
      expect(await fixture.nativeBalance(domains.native.verifyingContract)).toBe(models.native.locked())
    },
    /** Everyone has been paid exactly once. */
    async checkPaid(): Promise<void> {
      for (const { address } of fixture.accounts) {
        for (const kind of tokenKinds) expect(await tokenBalance(kind, address)).toBe(due[kind].get(address))
        expect(await fixture.nativeBalance(address)).toBe(due.native.get(address))
      }
    },
    async checkStates(): Promise<void> {
      for (const kind of kinds)
        for (const order of mentioned[kind]) expect(await storedState(kind, order)).toBe(models[kind].storedState(order))
    },
    /** Nothing is stuck: after its timelock every open order can be refunded, and no settled order is paid again. */
    async windUp(): Promise<void> {
      now += month
      for (const kind of kinds) {
        for (const order of models[kind].openOrders()) {
          await settle(kind, 0, order.initiator, order.amount, htlcCall.refund(order), models[kind].refund(order, now))
        }
        for (const order of models[kind].knownOrders()) {
          const otherWay = models[kind].storedState(order) === redeemed ? htlcCall.refund(order) : htlcCall.redeem(order)
          await settle(kind, 1, order.redeemer, order.amount, otherWay, 'HTLC__OrderSettled')
        }
        expect(models[kind].locked()).toBe(0n)
      }
    },
  }
}

it(`holds its invariants in ${sequences} random sequences of calls`, { timeout: 600_000 }, async () => {
  const property = fc.asyncProperty(steps, async (sequence) => {
    const run = await createRun()
    for (const step of sequence) {
      await run.take(step)
      await run.checkLocked()
    }
    await run.checkPaid()
    await run.checkStates()
    await run.windUp()
    await run.checkLocked()
    await run.checkPaid()
    await run.checkStates()
  })
  await fc.assert(property, { numRuns: sequences })
})

function addressOf(party: Party): Address {
  return party === 3 ? zeroAddress : fixture.accounts[party].address
}

async function tokenBalance(kind: TokenKind, of: Address): Promise<bigint> {
  return hexToBigInt(await fixture.read(tokens[kind], encodeFunctionData({ abi: testToken.abi, functionName: 'balanceOf', args: [of] })))
}

async function storedState(kind: HtlcKind, order: HtlcOrder): Promise<bigint> {
  const args = [computeOrderId(domains[kind], order)] as const
  const data = encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiatedAt', args })
  return hexToBigInt(await fixture.read(domains[kind].verifyingContract, data))
}
