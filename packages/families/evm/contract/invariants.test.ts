// Tests random sequences of calls by several users against all HTLCs and their deposit addresses: money in equals money out, and nothing is stuck.
import fc from 'fast-check'
import {
  type Address,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  maxUint256,
  numberToHex,
  type PrivateKeyAccount,
  type RpcLog,
  zeroAddress,
} from 'viem'
import { beforeAll, expect, it } from 'vitest'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { signingToken } from './artifacts/signing-token.ts'
import { testToken } from './artifacts/test-token.ts'
import { type ContractFixture, createContractFixture } from './contract.fixture.ts'
import { depositKinds } from './deposit.fixture.ts'
import { createDepositRun } from './deposit-run.fixture.ts'
import { type DepositCalls, type DrawnDeposit, depositSteps, drawnDeposits, isDepositStep } from './deposit-steps.fixture.ts'
import { createHtlcSetup, fundWithToken, type HtlcKind, type HtlcSetup, htlcKinds } from './htlc.fixture.ts'
import { type HtlcOrder, htlcCall, initiateTypedData } from './htlc-order.fixture.ts'
import { createHtlcRun, type HtlcRun } from './htlc-run.fixture.ts'
import {
  type Account,
  account,
  type HtlcCalls,
  htlcSteps,
  pick,
  type StepFrom,
  type StepOf,
  stepsOf,
  type Terms,
  type Twist,
  twist,
} from './htlc-steps.fixture.ts'
import { createLedger } from './ledger.fixture.ts'
import {
  authorizationTypedData,
  createSigningSetup,
  later,
  PERMIT2,
  permit2TypedData,
  permitTypedData,
  type SigningSetup,
} from './one-signature.fixture.ts'
import { type Batches, createBatches, type InnerCall } from './one-transaction.fixture.ts'

const sequences = 200
const days = 86_400n
/** PUSH0, PUSH0, REVERT. */
const REVERT = '0x5f5ffd'
/** 3 is the zero address. */
type Party = Account | 3

const kindsWithGas = ['ERC-20', 'TRC-20'] as const satisfies readonly HtlcKind[]
const oneSignatureWays = ['authorization', 'permit', 'permit2'] as const

interface OtherCalls {
  readonly wait: { readonly seconds: bigint }
  readonly initiateByOneSignature: {
    readonly caller: Account
    readonly signer: Account
    readonly way: (typeof oneSignatureWays)[number]
    readonly terms: Terms<Party>
  }
  readonly redeemWithGas: {
    readonly kind: (typeof kindsWithGas)[number]
    readonly caller: Account
    readonly pick: number
    readonly twist: Twist
    readonly coin: bigint
    /** The redeemer has code that reverts. */
    readonly refuses: boolean
  }
  readonly donate: { readonly kind: HtlcKind; readonly caller: Account; readonly amount: bigint }
}

type HtlcStep = StepFrom<HtlcCalls<Party>> & { readonly kind: HtlcKind }
type Step = HtlcStep | StepFrom<OtherCalls> | StepFrom<DepositCalls>

const party = fc.oneof({ weight: 12, arbitrary: account }, { weight: 1, arbitrary: fc.constant<Party>(3) })
const termsOf = <Who extends Party>(who: fc.Arbitrary<Who>): fc.Arbitrary<Terms<Who>> =>
  fc.record({
    initiator: who,
    redeemer: who,
    timelock: fc.oneof(
      { weight: 10, arbitrary: fc.constantFrom(1n, 60n, 30n * days) },
      { weight: 1, arbitrary: fc.constantFrom(0n, 30n * days + 1n, 2n ** 256n - 1n) },
    ),
    amount: fc.oneof({ weight: 15, arbitrary: fc.constantFrom(1n, 2n, 1_000n) }, { weight: 1, arbitrary: fc.constant(0n) }),
    secret: fc.nat(2),
  })
const terms = termsOf(party)
const deposits = fc.array(drawnDeposits(depositKinds, termsOf(account)), { minLength: 1, maxLength: 2 })
const tokenKinds = htlcKinds.filter((kind) => kind !== 'native')
const other = stepsOf<OtherCalls>()
const steps = fc.array(
  fc.oneof(
    {
      weight: 16,
      arbitrary: fc.oneof(...htlcSteps(terms)).chain((step) => {
        const kind = fc.constantFrom(...(step.call === 'initiateWithSignature' ? tokenKinds : htlcKinds))
        return kind.map((kind): Step => ({ ...step, kind }))
      }),
    },
    other(3, 'initiateByOneSignature', { caller: account, signer: account, way: fc.constantFrom(...oneSignatureWays), terms }),
    other(2, 'redeemWithGas', {
      kind: fc.constantFrom(...kindsWithGas),
      caller: account,
      pick,
      twist,
      coin: fc.constantFrom(0n, 1n, 10n ** 18n),
      refuses: fc.boolean(),
    }),
    other(2, 'wait', { seconds: fc.constantFrom(1n, 59n, 60n, 30n * days - 1n) }),
    other(1, 'donate', { kind: fc.constantFrom(...tokenKinds), caller: account, amount: fc.constantFrom(1n, 1_000n) }),
    ...depositSteps(),
  ),
  { minLength: 8, maxLength: 22 },
)

let fixture: ContractFixture
let setups: readonly (readonly [HtlcKind, HtlcSetup])[]
let signing: SigningSetup
let otherToken: Address
let batches: Batches
let snapshot: unknown

beforeAll(async () => {
  fixture = await createContractFixture()
  signing = await createSigningSetup(undefined, { fixture })
  const allowPermit2 = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [PERMIT2, maxUint256] })
  for (const from of fixture.accounts) await fixture.send({ from, to: signing.token, data: allowPermit2 })
  setups = []
  for (const kind of htlcKinds) {
    const setup = kind === 'ERC-20' ? signing : await createHtlcSetup(kind, undefined, { fixture })
    if (kind !== 'native') for (const payer of fixture.accounts) await fundWithToken(fixture, setup.token, payer, setup.htlc)
    setups = [...setups, [kind, setup]]
  }
  otherToken = await fixture.deploy(testToken, ['Other', 'OTHER', 18])
  for (const payer of fixture.accounts) await fundWithToken(fixture, otherToken, payer, signing.htlc)
  batches = await createBatches(fixture, htlcErc20.abi)
  snapshot = await fixture.request({ method: 'evm_snapshot' })
})

const addressOf = (party: Party): Address => (party === 3 ? zeroAddress : fixture.accounts[party].address)

async function balanceOf(token: Address, owner: Address): Promise<bigint> {
  if (token === zeroAddress) return fixture.nativeBalance(owner)
  return hexToBigInt(await fixture.read(token, encodeFunctionData({ abi: testToken.abi, functionName: 'balanceOf', args: [owner] })))
}

async function createRun(drawn: readonly DrawnDeposit[]) {
  await fixture.request({ method: 'evm_revert', params: [snapshot] })
  snapshot = await fixture.request({ method: 'evm_snapshot' })
  const latest = (await fixture.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex; number: Hex }
  let now = hexToBigInt(latest.timestamp) + 1n
  const owners = fixture.accounts.map(({ address }) => address)
  const { give, check: checkPaid } = await createLedger(owners, [...setups.map(([, { token }]) => token), otherToken], balanceOf)

  async function mine(caller: Account, to: Address, data: Hex, value = 0n): Promise<string | null> {
    await fixture.request({ method: 'evm_setNextBlockTimestamp', params: [numberToHex(now)] })
    const { receipt, error } = await fixture.attempt({ from: addressOf(caller), to, data, value })
    give(zeroAddress, addressOf(caller), -hexToBigInt(receipt.gasUsed) * hexToBigInt(receipt.effectiveGasPrice))
    return error
  }

  async function together(caller: Account, by: 'contract' | 'key with code', calls: readonly InnerCall[]) {
    await fixture.request({ method: 'evm_setNextBlockTimestamp', params: [numberToHex(now)] })
    if (by === 'key with code') return (await batches.byKeyWithCode(calls)).errors
    const { errors, receipt } = await batches.byContract(fixture.accounts[caller], calls)
    const paid = calls.reduce((sum, { value }) => sum + value, 0n)
    give(zeroAddress, addressOf(caller), -paid - hexToBigInt(receipt.gasUsed) * hexToBigInt(receipt.effectiveGasPrice))
    return errors
  }

  function createSide(kind: HtlcKind, setup: HtlcSetup) {
    const run: HtlcRun<Party> = createHtlcRun<Party>({
      domain: setup.domain,
      accounts: fixture.accounts,
      addressOf,
      now: () => now,
      mine: (caller, data, order) => mine(caller, setup.htlc, data, kind === 'native' ? order?.amount : 0n),
      give: (owner, amount) => give(setup.token, owner, amount),
    })
    return { setup, run, donated: 0n }
  }
  const sides = new Map<HtlcKind, ReturnType<typeof createSide>>()
  for (const [kind, setup] of setups) sides.set(kind, createSide(kind, setup))
  function sideOf(kind: HtlcKind) {
    const side = sides.get(kind)
    if (side === undefined) throw new Error(`there is no HTLC of the kind ${kind}`)
    return side
  }
  const ofDeposits = createDepositRun({
    drawn,
    otherToken,
    sideOf,
    addressOf,
    now: () => now,
    mine,
    together,
    give,
    balanceOf,
    async logs() {
      const filter = { fromBlock: latest.number, toBlock: 'latest', address: setups.map(([, { htlc }]) => htlc) }
      return (await fixture.request({ method: 'eth_getLogs', params: [filter] })) as readonly RpcLog[]
    },
  })

  async function donate({ kind, caller, amount }: OtherCalls['donate']): Promise<void> {
    const side = sideOf(kind)
    const data = encodeFunctionData({ abi: testToken.abi, functionName: 'transfer', args: [side.setup.htlc, amount] })
    expect(await mine(caller, side.setup.token, data)).toBeNull()
    give(side.setup.token, addressOf(caller), -amount)
    side.donated += amount
  }

  async function redeemWithGas({ kind, caller, pick, twist, coin, refuses }: OtherCalls['redeemWithGas']): Promise<void> {
    const { run, setup } = sideOf(kind)
    const order = run.picked(pick, twist)
    // A caller that refuses as the redeemer does would get nothing back.
    const isRefused = refuses && order.redeemer !== addressOf(caller)
    const setCode = (code: Hex) => fixture.request({ method: 'hardhat_setCode', params: [order.redeemer, code] })
    if (isRefused) await setCode(REVERT)
    const error = await mine(caller, setup.htlc, htlcCall.redeemWithGas(order), coin)
    if (isRefused) await setCode('0x')
    expect(error).toBe(run.model.redeem(order))
    if (error !== null) return
    give(setup.token, order.redeemer, order.amount)
    if (isRefused) return
    give(zeroAddress, addressOf(caller), -coin)
    give(zeroAddress, order.redeemer, coin)
  }

  async function sign(way: (typeof oneSignatureWays)[number], signer: PrivateKeyAccount, order: HtlcOrder): Promise<Hex> {
    const { domain, tokenDomain, token } = signing
    if (way === 'authorization')
      return htlcCall.initiateByAuthorization(order, later, await signer.signTypedData(authorizationTypedData(tokenDomain, domain, order)))
    if (way === 'permit2')
      return htlcCall.initiateBySignatureTransfer(order, later, await signer.signTypedData(permit2TypedData(token, domain, order)))
    const nonces = encodeFunctionData({ abi: signingToken.abi, functionName: 'nonces', args: [order.initiator] })
    const permit = permitTypedData(tokenDomain, domain, order, hexToBigInt(await fixture.read(token, nonces)))
    const signature = await signer.signTypedData(permit)
    return htlcCall.initiateByPermit(order, await signer.signTypedData(initiateTypedData(domain, order)), { deadline: later, signature })
  }

  async function initiateByOneSignature({ caller, signer, way, terms }: OtherCalls['initiateByOneSignature']): Promise<void> {
    const { run, setup } = sideOf('ERC-20')
    const order = run.orderOf(terms)
    const error = await mine(caller, setup.htlc, await sign(way, fixture.accounts[signer], order))
    if (fixture.accounts[signer].address !== order.initiator) expect(error).not.toBeNull()
    else {
      expect(error).toBe(run.model.open(order, now))
      if (error === null) give(setup.token, order.initiator, -order.amount)
      // A permit replaces the allowance that the other initiations of this account use.
      if (error === null && way === 'permit') await allowHtlc(signer)
    }
  }

  async function allowHtlc(owner: Account): Promise<void> {
    const data = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [signing.htlc, maxUint256] })
    expect(await mine(owner, signing.token, data)).toBeNull()
  }

  function takeShared<Call extends keyof HtlcCalls<Party>>(step: StepOf<HtlcCalls<Party>, Call> & { readonly kind: HtlcKind }) {
    return sideOf(step.kind).run.actions[step.call](step)
  }

  await ofDeposits.begin()

  return {
    async take(step: Step): Promise<void> {
      if (step.call === 'wait') now += step.seconds
      else if (step.call === 'donate') await donate(step)
      else if (step.call === 'redeemWithGas') await redeemWithGas(step)
      else if (isDepositStep(step)) await ofDeposits.take(step)
      else if (step.call === 'initiateByOneSignature') await initiateByOneSignature(step)
      else await takeShared(step)
    },
    async checkLocked(): Promise<void> {
      for (const { setup, run, donated } of sides.values()) expect(await setup.balance(setup.htlc)).toBe(run.model.locked() + donated)
      for (const kind of tokenKinds) expect(await fixture.nativeBalance(sideOf(kind).setup.htlc)).toBe(0n)
    },
    async checkPaid(): Promise<void> {
      await checkPaid()
      await ofDeposits.check()
    },
    async checkStates(): Promise<void> {
      for (const { setup, run } of sides.values())
        for (const order of run.mentioned) expect(await setup.state(order)).toBe(run.model.storedState(order))
    },
    async windUp(): Promise<void> {
      now += 31n * days
      await ofDeposits.windUp()
      for (const { run } of sides.values()) await run.windUp()
    },
  }
}

it(`holds its invariants in ${sequences} random sequences of calls`, { timeout: 600_000 }, async () => {
  const property = fc.asyncProperty(deposits, steps, async (drawn, sequence) => {
    const run = await createRun(drawn)
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
