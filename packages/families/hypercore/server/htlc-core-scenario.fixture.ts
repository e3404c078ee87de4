// Plays orders of the HTLC for tokens of HyperCore on the simulator. Each assertion catches at least one mutant.
import { deepEqual, equal, fail, ok } from 'node:assert/strict'
import { contractAccount } from '@tandem/evm/contract/artifacts/contract-account.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import { type Address, encodeFunctionData, type Hex, numberToHex } from 'viem'
import { coreTokens } from '../local/core-state-machine.ts'
import { CORE_USER_EXISTS, CORE_WRITER, spotSendData } from '../terms/core.ts'
import { AMOUNT, type CorePlay, createCorePlay, EVM_AMOUNT, HYPE, NOTHING, onCore, onEvm, WINDOW } from './htlc-core.fixture.ts'
import {
  type CoreOrder,
  consenting,
  crossing,
  initiating,
  reclaiming,
  redeeming,
  refusalOf,
  signedInitiating,
  withdrawing,
} from './htlc-core-order.fixture.ts'
import { EVM_PER_CORE, type HypercoreFixture } from './hypercore.fixture.ts'

export async function playHtlcCore(fixture: HypercoreFixture, bytecode: Hex): Promise<void> {
  await playLinks(fixture, bytecode)
  const play = await deployCore(fixture, bytecode)
  await playWithoutAccount(play)
  await fixture.faucet.fundSpot(play.htlc, coreTokens.usdc, 1n)
  await playAccounts(play)
  await playConsents(play)
  await playReclaims(play)
  await playUnreachableOwners(play)
  await playPayouts(play)
  await playBridge(play, bytecode)
}

type Play = CorePlay & { readonly fixture: HypercoreFixture; readonly htlc: Address }

async function deployCore(fixture: HypercoreFixture, bytecode: Hex): Promise<Play> {
  const htlc = await fixture.deploy({ abi: htlcCore.abi, bytecode }, [coreTokens.purr])
  return { ...createCorePlay({ fixture, contract: { ...fixture.contract, address: htlc } }), fixture, htlc }
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

async function playAccounts({ fixture, newOrder, send, call, refuses, gains, eventsOf, sign, undone, ...play }: Play): Promise<void> {
  const { account, payOnEvm, payOnCore, held, coinsOf, hypeOf, htlc } = play
  const { relay, user, solver } = fixture
  await refuses(relay, crossing(user.address), 'HTLC__NothingToCross')
  await payOnCore()
  await undone(async () => {
    await fixture.local.request({ method: 'hardhat_setCode', params: [CORE_WRITER, '0x5f5ffd'] })
    await refuses(relay, crossing(user.address), 'HTLC__ActionRefused')
  })
  equal((await send(relay, htlc, crossing(user.address), { value: HYPE + 1n })).status, '0x0')
  // A batch payout would burn the coin that it pays to the account after its act.
  const batch = await fixture.deploy(contractAccount)
  equal(await refusalOf(fixture, batch, crossing(user.address), htlc), 'HTLC__InsideTransaction')
  const within = encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [htlc, crossing(user.address)] })
  equal((await send(relay, batch, within)).status, '0x0')
  await call(relay, crossing(user.address), { value: HYPE })
  await fixture.mine()
  deepEqual(await held(), { spot: 0n, evm: EVM_AMOUNT })
  const left = await hypeOf(await account())
  ok(left > 0n)

  await payOnCore(3n)
  await payOnEvm(5n * EVM_PER_CORE + 7n)
  await gains(solver.address, NOTHING, () => call(solver, withdrawing(coreTokens.purr)))
  await gains(user.address, { spot: AMOUNT + 8n, evm: 7n }, async () => {
    const [event] = eventsOf(await call(user, withdrawing(coreTokens.purr)))
    if (event?.eventName !== 'AccountEmptied') fail('the withdrawal has no event')
    deepEqual([event.args.evmAmount, event.args.coreAmount], [EVM_AMOUNT + 5n * EVM_PER_CORE + 7n, 3n])
  })
  deepEqual(await held(), NOTHING)
  const before = await hypeOf(user.address)
  await call(user, withdrawing(coreTokens.hype))
  equal((await hypeOf(user.address)) - before, left)

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
  const { coinsOf, htlc, undone } = play
  const { relay, user, solver } = fixture
  const [order, other, late] = [await newOrder(), await newOrder(), await newOrder()]
  const [, ...rest] = order.args
  await refuses(user, consenting({ ...order, args: [`0x${'00'.repeat(20)}`, ...rest] }), 'HTLC__ZeroAddressInitiator')
  const large = await newOrder({ amount: 2n ** 64n })
  await refuses(user, consenting(large), 'HTLC__AmountTooLarge')
  await refuses(relay, signedInitiating(large, await sign(large)), 'HTLC__AmountTooLarge')
  const [event] = eventsOf(await call(user, consenting(order), { value: HYPE }))
  if (event?.eventName !== 'Consented') fail('the consent has no event')
  equal(event.args.deadline, order.swap.deadline)
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
  await undone(async () => {
    await call(user, consenting(late), { value: HYPE })
    deepEqual(await held(), NOTHING)
    equal(await coinsOf(htlc), 0n)
    await refuses(relay, initiating(late), 'HTLC__NoConsent')
  })

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
  undone,
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
  await undone(async () => {
    const short = { ...next, args: [next.args[0], next.args[1], next.args[2], 3n * AMOUNT, next.args[4]] } as CoreOrder
    await call(user, consenting(short))
    await refuses(solver, reclaim, 'HTLC__NotReclaimable')
    deepEqual(await heldFor(order), [0n])
  })
  await undone(async () => {
    await call(user, withdrawing(coreTokens.purr))
    await refuses(solver, reclaim, 'HTLC__NotReclaimable')
  })
  await undone(async () => {
    await fixture.passSeconds(7n * 86_400n)
    await refuses(solver, reclaim, 'HTLC__NotReclaimable')
    deepEqual(await heldFor(order), [0n])
  })
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
async function playUnreachableOwners({ fixture, htlc, account, newOrder, send, call, refuses, gains, idOf, undone }: Play): Promise<void> {
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
    await undone(async () => {
      await call(relay, crossing(owner), { value: HYPE })
      await fixture.mine()
      await gains(owner, onEvm, () => call(solver, reclaim))
    })
  }
  await gains(contract, onCore, () => asContract(withdrawing(coreTokens.purr)))
}

async function playPayouts({ fixture, open, call, send, gains, htlc, undone }: Play): Promise<void> {
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
    await undone(async () => {
      const before = await fixture.evmBalance(solver.address)
      await send(relay, htlc, redeeming(starved), { gas })
      equal(await fixture.evmBalance(solver.address), before)
    })
  }

  const broken: [Address, Hex][] = [
    [CORE_WRITER, '0x'],
    [CORE_WRITER, '0x5f5ffd'],
    [CORE_USER_EXISTS, '0x'],
  ]
  for (const [at, code] of broken) {
    await undone(async () => {
      const order = await open()
      await local.request({ method: 'hardhat_setCode', params: [at, code] })
      await gains(solver.address, onEvm, () => call(relay, redeeming(order)))
    })
  }
}

async function playBridge({ fixture, open, call, send, gains, eventsOf, ask, htlc, undone }: Play, bytecode: Hex): Promise<void> {
  const { local, relay, solver, user, contract } = fixture
  const believed = async (of = htlc) => {
    const answer = await ask(of, encodeFunctionData({ abi: htlcCore.abi, functionName: 'bridgeFunds' }))
    return BigInt(answer.slice(0, 66))
  }
  const recount = encodeFunctionData({ abi: htlcCore.abi, functionName: 'recount' })
  await undone(async () => {
    const whole = await believed()
    await local.setBridgeBalance(coreTokens.purr, AMOUNT)
    const low = await open()
    await gains(solver.address, onEvm, () => call(relay, redeeming(low)))
    deepEqual(
      eventsOf(await call(relay, recount)).map(({ eventName }) => eventName),
      ['BridgeFundsCounted'],
    )
    ok((await believed()) < whole)
  })

  // If the bridge grows after the deployment, the count of the deployment still limits payouts.
  await undone(async () => {
    await local.setBridgeBalance(coreTokens.purr, AMOUNT)
    const play = await deployCore(fixture, bytecode)
    await fixture.faucet.fundSpot(play.htlc, coreTokens.usdc, 1n)
    await local.setBridgeBalance(coreTokens.purr, 2n ** 60n)
    const counting = await believed(play.htlc)
    deepEqual(play.eventsOf(await play.call(relay, recount)), [])
    equal(await believed(play.htlc), counting)
    const order = await play.open()
    await play.gains(solver.address, onEvm, () => play.call(relay, redeeming(order)))
  })

  const minted = await open()
  const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [user.address, 10n ** 30n] })
  await send(user, contract.token, mint)
  await gains(solver.address, onEvm, () => call(relay, redeeming(minted)))

  // If the token does not answer, nobody knows how much could cross.
  await local.request({ method: 'hardhat_setCode', params: [contract.token, '0x'] })
  const data = encodeFunctionData({ abi: htlcCore.abi, functionName: 'reachesCore', args: [solver.address, AMOUNT] })
  equal(BigInt(await ask(htlc, data)), 0n)
}
