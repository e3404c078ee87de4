/** Plays orders of the HTLC for tokens of HyperCore on the simulator. Each assertion catches at least one mutant. */
import { deepEqual, equal, fail, ok } from 'node:assert/strict'
import { contractAccount } from '@tandem/evm/contract/artifacts/contract-account.ts'
import { feeToken } from '@tandem/evm/contract/artifacts/fee-token.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import { initiateTypedData, orderIdOf } from '@tandem/evm/terms/htlc.ts'
import {
  type Address,
  decodeEventLog,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  numberToHex,
  type RpcTransactionReceipt,
} from 'viem'
import { coreTokens } from '../local/core-state-machine.ts'
import { CORE_USER_EXISTS, CORE_WRITER, SPOT_BALANCE, spotBalanceQuestion, spotSendData } from '../terms/core.ts'
import {
  type CoreOrder,
  consenting,
  createCoreOrder,
  crossing,
  initiating,
  type OrderChange,
  on,
  reclaiming,
  redeeming,
  refusalOf,
  signedInitiating,
  transfer,
  withdrawing,
} from './htlc-core-order.fixture.ts'
import { EVM_PER_CORE, type HypercoreFixture, type TestParty } from './hypercore.fixture.ts'

const AMOUNT = 1_000_000n
const EVM_AMOUNT = AMOUNT * EVM_PER_CORE
const WINDOW = 3_600n
/** More than a transfer to HyperEVM costs. */
const HYPE = 10n ** 16n
const NOTHING = { spot: 0n, evm: 0n }
const onCore = { spot: AMOUNT, evm: 0n }
const onEvm = { spot: 0n, evm: EVM_AMOUNT }

export async function playHtlcCore(fixture: HypercoreFixture, bytecode: Hex): Promise<void> {
  await playLinks(fixture, bytecode)
  await playFeeToken(fixture, bytecode)
  const htlc = await fixture.deploy({ abi: htlcCore.abi, bytecode }, [coreTokens.purr])
  const play = createPlay(fixture, htlc)
  await playWithoutAccount(play)
  await fixture.faucet.fundSpot(htlc, coreTokens.usdc, 1n)
  await playAccounts(play)
  await playConsents(play)
  await playReclaims(play)
  await playUnreachableOwners(play)
  await playAllowances(play)
  await playPayouts(play)
  await playBridge(play, bytecode)
}

type Play = ReturnType<typeof createPlay>

function createPlay(fixture: HypercoreFixture, htlc: Address) {
  const { local, contract, user } = fixture
  const ask = async (to: Address, data: Hex) => (await local.request({ method: 'eth_call', params: [{ to, data }, 'latest'] })) as Hex
  async function send(party: TestParty, to: Address, data: Hex, more: { readonly value?: bigint; readonly gas?: bigint } = {}) {
    const hash = await fixture.sendAs(party, { to, data, gas: 1_500_000n, ...more })
    await fixture.mine()
    return (await local.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as RpcTransactionReceipt
  }
  async function call(party: TestParty, data: Hex, more: { readonly value?: bigint } = {}): Promise<RpcTransactionReceipt> {
    const receipt = await send(party, htlc, data, more)
    equal(receipt.status, '0x1')
    return receipt
  }
  const account = async (owner = user.address) =>
    `0x${(await ask(htlc, encodeFunctionData({ abi: htlcCore.abi, functionName: 'accountOf', args: [owner] }))).slice(26)}` as Address
  const payOnEvm = async (evmAmount = EVM_AMOUNT) => send(user, contract.token, transfer(await account(), evmAmount))
  const payOnCore = async (amount = AMOUNT) =>
    send(user, CORE_WRITER, spotSendData({ to: await account(), token: coreTokens.purr, amount }))
  const sign = ({ swap }: CoreOrder, party = user) =>
    party.account.signTypedData(JSON.parse(JSON.stringify(initiateTypedData({ ...contract, address: htlc }, swap.terms))))
  const newOrder = async (change: OrderChange = {}) => {
    const block = (await local.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex }
    return createCoreOrder(fixture, { redeemer: fixture.solver.address, amount: AMOUNT, ...change }, BigInt(block.timestamp) + WINDOW)
  }
  return {
    fixture,
    htlc,
    ask,
    send,
    call,
    account,
    payOnEvm,
    payOnCore,
    sign,
    newOrder,
    idOf: ({ swap }: CoreOrder) => orderIdOf({ ...contract, address: htlc }, swap.terms),
    coinsOf: async (owner: Address) => BigInt((await local.request({ method: 'eth_getBalance', params: [owner, 'latest'] })) as Hex),
    async held() {
      return { spot: await fixture.spotBalance(await account()), evm: await fixture.evmBalance(await account()) }
    },
    async heldFor(...orders: readonly CoreOrder[]) {
      const ids = orders.map(({ swap }) => orderIdOf({ ...contract, address: htlc }, swap.terms))
      const question = { abi: htlcCore.abi, functionName: 'heldFor', args: [orders.map(() => user.address), ids] } as const
      return decodeFunctionResult({ ...question, data: await ask(htlc, encodeFunctionData(question)) })
    },
    async open(change: OrderChange = {}) {
      const order = await newOrder(change)
      await payOnEvm()
      await call(fixture.relay, signedInitiating(order, await sign(order)))
      return order
    },
    refuses: async (from: TestParty, data: Hex, error: string) => equal(await refusalOf(fixture, from.address, data, htlc), error),
    async gains(owner: Address, expected: { readonly spot: bigint; readonly evm: bigint }, act: () => Promise<unknown>) {
      const before = [await fixture.spotBalance(owner), await fixture.evmBalance(owner)] as const
      const stranded = await fixture.spotBalance(htlc)
      await act()
      equal(await fixture.spotBalance(htlc), stranded)
      const gain = { spot: (await fixture.spotBalance(owner)) - before[0], evm: (await fixture.evmBalance(owner)) - before[1] }
      deepEqual(gain, expected)
    },
    eventsOf: ({ logs }: RpcTransactionReceipt) =>
      logs
        .filter(({ address }) => address.toLowerCase() === htlc)
        .map(({ data, topics }) => decodeEventLog({ abi: htlcCore.abi, data, topics })),
  }
}

async function playLinks(fixture: HypercoreFixture, bytecode: Hex): Promise<void> {
  const refusedFor = (token: bigint) =>
    refusalOf(fixture, fixture.user.address, `${bytecode}${numberToHex(token, { size: 32 }).slice(2)}`, null)
  equal(await refusedFor(coreTokens.usdc), 'HTLC__TokenNotLinked')
  await fixture.local.link(coreTokens.hype, { erc20: fixture.contract.token, weiDecimals: 8, extraDecimals: -2 })
  equal(await refusedFor(coreTokens.hype), 'HTLC__TokenNotLinked')
}

async function playWithoutAccount({ fixture, open, gains, call }: Play): Promise<void> {
  const order = await open()
  await gains(fixture.solver.address, onEvm, () => call(fixture.relay, redeeming(order)))
}

async function playAccounts({ fixture, newOrder, send, call, refuses, gains, eventsOf, ask, sign, ...play }: Play): Promise<void> {
  const { account, payOnEvm, payOnCore, held, coinsOf, htlc } = play
  const { relay, user, solver } = fixture
  await refuses(relay, crossing(user.address), 'HTLC__NothingToCross')
  await payOnCore()
  const start = await fixture.local.request({ method: 'evm_snapshot' })
  await fixture.local.request({ method: 'hardhat_setCode', params: [CORE_WRITER, '0x5f5ffd'] })
  await refuses(relay, crossing(user.address), 'HTLC__ActionRefused')
  await fixture.local.request({ method: 'evm_revert', params: [start] })
  equal((await send(relay, htlc, crossing(user.address), { value: HYPE + 1n })).status, '0x0')
  await call(relay, crossing(user.address), { value: HYPE })
  await fixture.mine()
  deepEqual(await held(), { spot: 0n, evm: EVM_AMOUNT })
  const left = await ask(SPOT_BALANCE, spotBalanceQuestion(await account(), coreTokens.hype))
  ok(BigInt(left.slice(0, 66)) > 0n)

  await payOnCore(3n)
  await payOnEvm(5n * EVM_PER_CORE + 7n)
  await gains(solver.address, NOTHING, () => call(solver, withdrawing(coreTokens.purr)))
  await gains(user.address, { spot: AMOUNT + 8n, evm: 7n }, async () => {
    const [event] = eventsOf(await call(user, withdrawing(coreTokens.purr)))
    if (event?.eventName !== 'AccountEmptied') fail('the withdrawal is not told')
    deepEqual([event.args.evmAmount, event.args.coreAmount], [EVM_AMOUNT + 5n * EVM_PER_CORE + 7n, 3n])
  })
  deepEqual(await held(), NOTHING)
  const hype = async (owner: Address) => BigInt((await ask(SPOT_BALANCE, spotBalanceQuestion(owner, coreTokens.hype))).slice(0, 66))
  const before = await hype(user.address)
  await call(user, withdrawing(coreTokens.hype))
  equal((await hype(user.address)) - before, BigInt(left.slice(0, 66)))

  const order = await newOrder()
  await payOnEvm(2n * EVM_AMOUNT)
  await send(solver, await account(), '0x', { value: 10n ** 17n })
  const coins = await coinsOf(user.address)
  const locked = await fixture.evmBalance(htlc)
  await call(relay, signedInitiating(order, await sign(order)))
  equal((await coinsOf(user.address)) - coins, 10n ** 17n)
  equal((await fixture.evmBalance(htlc)) - locked, EVM_AMOUNT)
  deepEqual(await held(), { spot: 0n, evm: EVM_AMOUNT })
  await call(user, withdrawing(coreTokens.purr))
}

async function playConsents({ fixture, newOrder, call, refuses, eventsOf, payOnEvm, payOnCore, held, heldFor, sign, ...play }: Play) {
  const { coinsOf, htlc } = play
  const { relay, user, solver, local } = fixture
  const [order, other, late] = [await newOrder(), await newOrder(), await newOrder()]
  const [, ...rest] = order.args
  await refuses(user, consenting({ ...order, args: [`0x${'00'.repeat(20)}`, ...rest] }), 'HTLC__ZeroAddressInitiator')
  const large = await newOrder({ amount: 2n ** 64n })
  await refuses(user, consenting(large), 'HTLC__AmountTooLarge')
  await refuses(relay, signedInitiating(large, await sign(large)), 'HTLC__AmountTooLarge')
  const [told] = eventsOf(await call(user, consenting(order), { value: HYPE }))
  if (told?.eventName !== 'Consented') fail('the consent is not told')
  equal(told.args.deadline, order.swap.deadline)
  equal(await coinsOf(htlc), 0n)
  await payOnCore()
  deepEqual(await heldFor(order, other), [AMOUNT, 0n])
  await call(user, consenting(other), { value: HYPE })
  await refuses(relay, initiating(order), 'HTLC__TransferFailed')
  await fixture.mine()
  deepEqual(await held(), { spot: 0n, evm: EVM_AMOUNT })
  await refuses(relay, initiating(late), 'HTLC__NoConsent')
  await refuses(relay, initiating(order, solver.address), 'HTLC__NoConsent')
  await call(relay, initiating(order))
  deepEqual(await held(), NOTHING)
  await refuses(user, consenting(order), 'HTLC__DuplicateOrder')
  deepEqual(await heldFor(order), [0n])
  await payOnEvm()
  const start = await local.request({ method: 'evm_snapshot' })
  await call(user, consenting(late), { value: HYPE })
  deepEqual(await held(), NOTHING)
  equal(await coinsOf(htlc), 0n)
  await refuses(relay, initiating(late), 'HTLC__NoConsent')
  await local.request({ method: 'evm_revert', params: [start] })

  await fixture.passSeconds(WINDOW - 60n)
  await refuses(relay, initiating(other), 'none')
  await fixture.passSeconds(120n)
  await refuses(relay, initiating(other), 'HTLC__NoConsent')
  await refuses(user, consenting(late), 'HTLC__TooLate')
  await call(user, withdrawing(coreTokens.purr))
}

async function playReclaims({
  fixture,
  newOrder,
  payOnEvm,
  payOnCore,
  call,
  refuses,
  gains,
  eventsOf,
  idOf,
  heldFor,
}: Play): Promise<void> {
  const { user, solver, relay } = fixture
  const [order, signed] = [await newOrder(), await newOrder()]
  const reclaim = reclaiming(idOf(order), user.address)
  await call(user, consenting(order))
  await payOnEvm()
  await payOnCore()
  await refuses(solver, reclaim, 'HTLC__NotReclaimable')
  await fixture.passSeconds(WINDOW + 60n)
  await refuses(solver, reclaiming(idOf(signed), user.address), 'HTLC__NotReclaimable')
  await refuses(solver, reclaiming(idOf(order), solver.address), 'HTLC__NotReclaimable')
  deepEqual(await heldFor(order, signed), [2n * AMOUNT, 0n])
  // Another order of the same owner waits for the money.
  const next = await newOrder()
  const start = await fixture.local.request({ method: 'evm_snapshot' })
  const short = { ...next, args: [next.args[0], next.args[1], next.args[2], 3n * AMOUNT, next.args[4]] } as CoreOrder
  await call(user, consenting(short))
  await refuses(solver, reclaim, 'HTLC__NotReclaimable')
  deepEqual(await heldFor(order), [0n])
  await fixture.local.request({ method: 'evm_revert', params: [start] })
  const again = await fixture.local.request({ method: 'evm_snapshot' })
  await call(user, withdrawing(coreTokens.purr))
  await refuses(solver, reclaim, 'HTLC__NotReclaimable')
  await fixture.local.request({ method: 'evm_revert', params: [again] })
  const later = await fixture.local.request({ method: 'evm_snapshot' })
  await fixture.passSeconds(7n * 86_400n)
  await refuses(solver, reclaim, 'HTLC__NotReclaimable')
  deepEqual(await heldFor(order), [0n])
  await fixture.local.request({ method: 'evm_revert', params: [later] })
  await gains(user.address, { spot: 2n * AMOUNT, evm: 0n }, async () => {
    deepEqual(
      eventsOf(await call(relay, reclaim)).map(({ eventName }) => eventName),
      ['AccountEmptied'],
    )
  })
  await payOnEvm()
  await refuses(solver, reclaim, 'HTLC__NotReclaimable')
  await call(user, withdrawing(coreTokens.purr))
}

/** HyperCore drops what is sent to an owner without an account there, and a contract may have no way to act there. */
async function playUnreachableOwners({ fixture, htlc, account, newOrder, send, call, refuses, gains, idOf }: Play): Promise<void> {
  const { user, solver, relay } = fixture
  const contract = await fixture.deploy(contractAccount)
  await fixture.faucet.fundSpot(contract, coreTokens.usdc, 1n)
  const unknown = await fixture.party()
  const asContract = async (data: Hex) => {
    const execute = encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [htlc, data] })
    equal((await send(relay, contract, execute)).status, '0x1')
  }
  const owners = [
    { owner: contract, consent: asContract, order: await newOrder() },
    { owner: unknown.address, consent: (data: Hex) => call(unknown, data), order: await newOrder() },
  ]
  for (const { owner, consent, order } of owners) {
    await consent(consenting(order))
    await send(user, CORE_WRITER, spotSendData({ to: await account(owner), token: coreTokens.purr, amount: AMOUNT }))
  }
  await fixture.passSeconds(WINDOW + 60n)
  for (const { owner, order } of owners) {
    const reclaim = reclaiming(idOf(order), owner)
    await refuses(solver, reclaim, 'HTLC__NotReclaimable')
    const start = await fixture.local.request({ method: 'evm_snapshot' })
    await call(relay, crossing(owner), { value: HYPE })
    await fixture.mine()
    await gains(owner, onEvm, () => call(solver, reclaim))
    await fixture.local.request({ method: 'evm_revert', params: [start] })
  }
  await gains(contract, onCore, () => asContract(withdrawing(coreTokens.purr)))
}

async function playAllowances({ fixture, newOrder, send, call, refuses, htlc }: Play): Promise<void> {
  const { user, solver, relay, contract } = fixture
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [htlc, 2n ** 255n] })
  const order = await newOrder()
  const typed = initiateTypedData({ ...contract, address: htlc }, order.swap.terms)
  const relayed = (signature: Hex) =>
    encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiateWithSignature', args: [...order.args, signature] })
  const sign = (party: TestParty) => party.account.signTypedData(JSON.parse(JSON.stringify(typed)))
  await refuses(relay, relayed(await sign(user)), 'HTLC__TransferFailed')
  await send(user, contract.token, approve)
  await refuses(relay, relayed(await sign(solver)), 'HTLC__InvalidSignature')
  const held = [await fixture.evmBalance(user.address), await fixture.evmBalance(htlc)] as const
  await call(relay, relayed(await sign(user)))
  equal(await fixture.evmBalance(user.address), held[0] - EVM_AMOUNT)
  equal(await fixture.evmBalance(htlc), held[1] + EVM_AMOUNT)
  await send(solver, contract.token, approve)
  const onBehalf = await newOrder()
  const before = await fixture.evmBalance(solver.address)
  await call(solver, on('initiateOnBehalf', onBehalf))
  equal(await fixture.evmBalance(solver.address), before - EVM_AMOUNT)
}

async function playPayouts({ fixture, open, call, send, gains, htlc }: Play): Promise<void> {
  const { local, relay, solver } = fixture
  const paid = await open()
  await gains(solver.address, onCore, () => call(relay, redeeming(paid)))
  const stranger = await fixture.party()
  const unknown = await open({ redeemer: stranger.address })
  await gains(stranger.address, onEvm, () => call(relay, redeeming(unknown)))
  const account = await fixture.deploy(contractAccount)
  await fixture.faucet.fundSpot(account, coreTokens.usdc, 1n)
  const toContract = await open({ redeemer: account })
  await gains(account, onEvm, () => call(relay, redeeming(toContract)))

  const starved = await open()
  const request = { from: relay.address, to: htlc, data: redeeming(starved) }
  const enough = BigInt((await local.request({ method: 'eth_estimateGas', params: [request] })) as Hex)
  for (let gas = enough - 90_000n; gas < enough; gas += 9_000n) {
    const start = await local.request({ method: 'evm_snapshot' })
    const before = await fixture.evmBalance(solver.address)
    await send(relay, htlc, redeeming(starved), { gas })
    equal(await fixture.evmBalance(solver.address), before)
    await local.request({ method: 'evm_revert', params: [start] })
  }

  const broken: [Address, Hex][] = [
    [CORE_WRITER, '0x'],
    [CORE_WRITER, '0x5f5ffd'],
    [CORE_USER_EXISTS, '0x'],
  ]
  for (const [at, code] of broken) {
    const start = await local.request({ method: 'evm_snapshot' })
    const order = await open()
    await local.request({ method: 'hardhat_setCode', params: [at, code] })
    await gains(solver.address, onEvm, () => call(relay, redeeming(order)))
    await local.request({ method: 'evm_revert', params: [start] })
  }
}

async function playBridge({ fixture, open, call, send, gains, eventsOf, ask, htlc }: Play, bytecode: Hex): Promise<void> {
  const { local, relay, solver, user, contract } = fixture
  const believed = async (of = htlc) => {
    const answer = await ask(of, encodeFunctionData({ abi: htlcCore.abi, functionName: 'bridgeFunds' }))
    return BigInt(answer.slice(0, 66))
  }
  const recount = encodeFunctionData({ abi: htlcCore.abi, functionName: 'recount' })
  const start = await local.request({ method: 'evm_snapshot' })
  const whole = await believed()
  await local.setBridgeBalance(coreTokens.purr, AMOUNT)
  const low = await open()
  await gains(solver.address, onEvm, () => call(relay, redeeming(low)))
  deepEqual(
    eventsOf(await call(relay, recount)).map(({ eventName }) => eventName),
    ['BridgeFundsCounted'],
  )
  const counted = await believed()
  ok(counted < whole)
  await local.request({ method: 'evm_revert', params: [start] })

  // The bridge grows after the deployment: what was counted then still limits it.
  const again = await local.request({ method: 'evm_snapshot' })
  await local.setBridgeBalance(coreTokens.purr, AMOUNT)
  const small = await fixture.deploy({ abi: htlcCore.abi, bytecode }, [coreTokens.purr])
  await fixture.faucet.fundSpot(small, coreTokens.usdc, 1n)
  await local.setBridgeBalance(coreTokens.purr, 2n ** 60n)
  const play = createPlay(fixture, small)
  const counting = await believed(small)
  deepEqual(play.eventsOf(await play.call(relay, recount)), [])
  equal(await believed(small), counting)
  const order = await play.open()
  await play.gains(solver.address, onEvm, () => play.call(relay, redeeming(order)))
  await local.request({ method: 'evm_revert', params: [again] })

  const minted = await open()
  const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [user.address, 10n ** 30n] })
  await send(user, contract.token, mint)
  await gains(solver.address, onEvm, () => call(relay, redeeming(minted)))

  // A token that tells nothing: nobody knows how much could cross.
  await local.request({ method: 'hardhat_setCode', params: [contract.token, '0x'] })
  const question = encodeFunctionData({ abi: htlcCore.abi, functionName: 'reachesCore', args: [solver.address, AMOUNT] })
  equal(BigInt(await ask(htlc, question)), 0n)
}

/** A token that delivers less than it was asked for. */
async function playFeeToken(fixture: HypercoreFixture, bytecode: Hex): Promise<void> {
  const start = await fixture.local.request({ method: 'evm_snapshot' })
  const token = await fixture.deploy(feeToken)
  await fixture.local.link(coreTokens.hype, { erc20: token, weiDecimals: 18, extraDecimals: 0 })
  const htlc = await fixture.deploy({ abi: htlcCore.abi, bytecode }, [coreTokens.hype])
  const { send, refuses, newOrder } = createPlay(fixture, htlc)
  const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [fixture.user.address, AMOUNT] })
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [htlc, AMOUNT] })
  for (const data of [mint, approve]) await send(fixture.user, token, data)
  await refuses(fixture.user, on('initiateOnBehalf', await newOrder()), 'HTLC__AmountNotReceived')
  await fixture.local.request({ method: 'evm_revert', params: [start] })
}
