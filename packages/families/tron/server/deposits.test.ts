/** Tests deposit addresses on Tron that hold a token which blocks accounts, keeps a part, or answers nothing: no energy is spent in vain, and a refusal is tried again later. */
import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { blacklistToken } from '@tandem/evm/contract/artifacts/blacklist-token.ts'
import { feeToken } from '@tandem/evm/contract/artifacts/fee-token.ts'
import { htlcTrc20 } from '@tandem/evm/contract/artifacts/htlc-trc20.ts'
import { noReturnToken } from '@tandem/evm/contract/artifacts/no-return-token.ts'
import { tetherTron } from '@tandem/evm/contract/artifacts/tether-tron.ts'
import { createContractState } from '@tandem/evm/server/contract-state.ts'
import { verifyDeposits } from '@tandem/evm/server/deposits.ts'
import { createNode, type EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { evmAddressRule } from '@tandem/evm/terms/deposit.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { type Abi, encodeFunctionData, getAbiItem, type Hex, pad, toFunctionSelector } from 'viem'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { toEvmAddress } from '../terms/address.ts'
import { tronAddressRule } from '../terms/deposit.ts'
import { JSON_RPC_PATH } from '../terms/facts.ts'
import { tronContracts } from '../terms/htlc.ts'
import { verifyTronNode } from './nodes/verify-node.ts'
import { createWalletApi } from './nodes/wallet-api.ts'
import { createTronFixture } from './tron.fixture.ts'

const fixture = await createTronFixture()
afterAll(() => fixture.close())
const { local, deployer, solver, user } = fixture
const asset: AssetId = 'tron_localnet:usdt'
const AMOUNT = 1_000n
const HOUR_MS = 3_600_000
const KEEPS_A_UNIT = 3n

type Token = { readonly contractName: string; readonly abi: Abi; readonly bytecode: Hex; readonly args?: readonly unknown[] }
const tether: Token = { ...tetherTron, args: ['Tether', 'USDT', 6] }

/** A client whose USDT is this token, and an order of the user that was paid at its address. */
async function paid(artifact: Token, { isLate = false } = {}) {
  const token = await deployer.deploy(artifact, artifact.args ?? [])
  const htlc = await deployer.deploy(htlcTrc20, [toEvmAddress(token)])
  const assets = fixture.assets.map((known) => (known.id === asset ? { ...known, deployment: { htlc, token } } : known))
  const client = fixture.connect({ assets })
  onTestFinished(() => client.close())
  const { prefund } = client
  if (prefund?.addressOf === undefined) throw new Error('the client has no deposit addresses')
  const secretHash = hashSecret(createSecret())
  const terms = { asset, initiator: user.address, redeemer: solver.address, amount: AMOUNT, timelock: 600n, secretHash }
  const { time } = await client.tip()
  const swap: PrefundedSwap = { terms, deadline: isLate ? time - 1n : time + 10_000n, payer: null }
  const address = prefund.addressOf(swap)
  const request = (functionName: string, args: readonly unknown[]) => ({
    to: token,
    data: encodeFunctionData({ abi: artifact.abi, functionName, args }),
  })
  const call = (functionName: string, args: readonly unknown[]) => deployer.call(token, request(functionName, args).data)
  const mint = () => call('mint', [toEvmAddress(address), AMOUNT])
  await mint()
  const outbox = createMemoryOutbox(solver.signer)
  const balanceOf = (owner: string) => client.balance(asset, owner)
  return {
    prefund,
    swap,
    address,
    request,
    call,
    mint,
    outbox,
    balanceOf,
    phase: async () => (await readSwap(client, terms, 0n)).swap.phase,
    initiate: () => prefund.initiate(swap, outbox.open('initiate')),
    reclaim: () => prefund.reclaim(swap, outbox.open('reclaim')),
  }
}

const spent = async (work: () => Promise<unknown>) => {
  const held = () => solver.wallet.trx.getUnconfirmedBalance(solver.address)
  const before = await held()
  await work()
  return before - (await held())
}

it.each([
  ['answers false', tether],
  ['answers nothing', noReturnToken],
])('a token that %s is locked, and returned', async (_, artifact) => {
  const on = await paid(artifact)
  await on.initiate()
  await local.mine()
  expect([await on.phase(), await on.balanceOf(on.address)]).toEqual(['initiated', 0n])
  const late = await paid(artifact, { isLate: true })
  await late.reclaim()
  await local.mine()
  expect([await late.balanceOf(late.address), await late.balanceOf(user.address)]).toEqual([0n, AMOUNT])
})

it.each([
  ['a hundredth of each transfer', feeToken, async () => undefined, AMOUNT / 100n],
  ['a unit of each transfer', tether, async (on: Awaited<ReturnType<typeof paid>>) => on.call('setMode', [KEEPS_A_UNIT]), 1n],
])('a token that keeps %s is not locked, at no cost; what is left of it goes back after the deadline', async (_, artifact, start, kept) => {
  const on = await paid(artifact)
  await start(on)
  expect(await spent(() => expect(on.initiate()).rejects.toMatchObject({ kind: 'would-fail' }))).toBe(0)
  expect(on.outbox.attempts('initiate')).toEqual([])
  const late = await paid(artifact, { isLate: true })
  await start(late)
  await late.reclaim()
  await local.mine()
  expect([await late.balanceOf(late.address), await late.balanceOf(user.address)]).toEqual([0n, AMOUNT - kept])
})

it.each([
  ['the owner', blacklistToken, () => user.address, 'setBlacklisted'],
  ['the address', blacklistToken, (address: string) => address, 'setBlacklisted'],
  ['the owner, and answers false', tether, () => user.address, 'setRefused'],
] as const)(
  'a token that blocks %s: nothing is signed, the next try is an hour later, and works once it is unblocked',
  async (_, artifact, blocked, block) => {
    const on = await paid(artifact, { isLate: true })
    await on.call(block, [toEvmAddress(blocked(on.address)), true])
    const cost = await spent(async () => {
      for (let times = 0; times < 5; times += 1)
        await expect(on.reclaim()).rejects.toMatchObject({
          kind: 'would-fail',
          refusal: expect.stringMatching(/^the chain refuses the return, which is tried again in an hour: reclaim: HTLC__TransferFailed/),
          retryAfterMs: HOUR_MS,
        })
    })
    expect([cost, on.outbox.attempts('reclaim')]).toEqual([0, []])
    await on.call(block, [toEvmAddress(blocked(on.address)), false])
    await on.reclaim()
    await local.mine()
    expect([await on.balanceOf(on.address), await on.balanceOf(user.address)]).toEqual([0n, AMOUNT])
  },
)

it('a return is sent three times in a day, and again a day after the first; nothing is signed that nobody pays for', async () => {
  const on = await paid(noReturnToken, { isLate: true })
  const asked: bigint[] = []
  const reclaim = (refuses = false) =>
    on.prefund.reclaim(on.swap, {
      ...on.outbox.open('reclaim'),
      async payForReclaim(amount) {
        asked.push(amount)
        if (refuses) throw new Error('too little')
      },
    })
  await expect(reclaim(true)).rejects.toThrow('too little')
  expect(on.outbox.attempts('reclaim')).toEqual([])
  for (let times = 0; times < 3; times += 1) {
    await reclaim()
    await local.mine()
    await on.mint()
  }
  await expect(reclaim()).rejects.toMatchObject({ refusal: expect.stringMatching(/paid for 3 reclaims of this order within a day/) })
  expect(asked).toEqual([AMOUNT, AMOUNT, AMOUNT, AMOUNT])
  on.outbox.passSeconds(86_400n)
  await reclaim()
  await local.mine()
  expect(await on.balanceOf(user.address)).toBe(4n * AMOUNT)
})

it('a return that reverts on the chain costs its energy, counts as one of the three of a day, and is not sent again while it would fail', async () => {
  const on = await paid(blacklistToken, { isLate: true })
  for (let times = 0; times < 3; times += 1) {
    // What the token blocks is mined first in the block of the return, so the simulation does not show it.
    await fixture.sendAs(user, on.request('setBlacklisted', [toEvmAddress(user.address), true]))
    const cost = await spent(async () => {
      await on.reclaim()
      await local.mine()
    })
    expect(cost).toBeGreaterThan(0)
    await expect(on.reclaim()).rejects.toMatchObject({ kind: 'would-fail' })
    await on.call('setBlacklisted', [toEvmAddress(user.address), false])
  }
  await expect(on.reclaim()).rejects.toMatchObject({ refusal: expect.stringMatching(/paid for 3 reclaims of this order within a day/) })
  expect([on.outbox.attempts('reclaim').length, await on.balanceOf(on.address)]).toEqual([3, AMOUNT])
})

it('too early a return is tried again soon, not in an hour', async () => {
  const on = await paid(noReturnToken)
  await expect(on.reclaim()).rejects.toMatchObject({
    kind: 'would-fail',
    retryAfterMs: null,
    message: expect.stringMatching(/HTLC__NotReturnable/),
  })
  expect(on.outbox.attempts('reclaim')).toEqual([])
})

it('an HTLC that tells other deposit addresses than we compute is not used: what is paid there could not be moved', async () => {
  const node = createNode(`${local.url}${JSON_RPC_PATH}`, 5_000)
  onTestFinished(() => node.close())
  const { chain } = fixture
  const contracts = tronContracts(chain, fixture.assets)
  const api = createWalletApi(chain, { endpoints: { rpc: [local.url] } })
  onTestFinished(() => api.close())
  const told = toFunctionSelector(getAbiItem({ abi: htlcTrc20.abi, name: 'depositAddressFrom' }))
  const liar: EvmNode = { ...node, call: async (call) => (call.data?.startsWith(told) ? pad(toEvmAddress(user.address)) : node.call(call)) }
  const mismatch = {
    kind: 'would-fail',
    message: expect.stringMatching(/^tron_localnet: the HTLC at \w+ has the deposit address \w+ where we compute 0x/),
  }
  await verifyTronNode(chain, node, api, createContractState(node), contracts)
  await expect(verifyTronNode(chain, liar, api, createContractState(node), contracts)).rejects.toMatchObject(mismatch)
  const rule = tronAddressRule(chain)
  for (const other of [
    { ...rule, prefix: '0x41' as const },
    { ...rule, codeHash: evmAddressRule.codeHash },
  ])
    await expect(verifyDeposits(chain, node, contracts, other)).rejects.toMatchObject(mismatch)
})
