/** Tests the calls that fund a swap, and the simulation of a payout before the secret is shown. */

import type { ApprovalMode, ChainClient } from '@tandem/chain-kit/port/client.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { Call } from '@tandem/protocol/funding/calls.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { type Address, decodeFunctionData, encodeFunctionData, erc20Abi, type Hex, maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { falseReturnToken } from '../contract/artifacts/false-return-token.ts'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { noReturnToken } from '../contract/artifacts/no-return-token.ts'
import { stubbornToken } from '../contract/artifacts/stubborn-token.ts'
import { approvalCall } from '../terms/approval-call.ts'
import { createContracts } from '../terms/htlc.ts'
import { openEvmClient } from './client.fixture.ts'
import { createNode } from './nodes/node.ts'
import { NodeRefusal } from './nodes/rpc.ts'
import { verifyPayout } from './send/payout.ts'

const { fixture, client, termsFor } = await openEvmClient()

function newTerms(symbol: string): HtlcTerms {
  return termsFor(createSecret(), symbol, { initiator: fixture.user.address, redeemer: fixture.solver.address })
}

type Calls = Extract<Funding, { kind: 'calls' }>

async function callsFor(terms: HtlcTerms, payer: string | null = null, on = client, approval: ApprovalMode = 'exact'): Promise<Calls> {
  const funding = await on.funding({ terms, deadline: 0n, payer, approval })
  if (funding.kind !== 'calls') throw new Error(`expected calls, got ${funding.kind}`)
  return funding
}

const functionOf = (data: string) => decodeFunctionData({ abi: [...htlcErc20.abi, ...erc20Abi], data: data as Hex })

describe('funding', () => {
  it('of a native coin is one call with its value', async () => {
    const terms = newTerms('eth')
    const { approval, initiate, typedData } = await callsFor(terms)
    expect([approval, typedData]).toEqual([null, null])
    expect(initiate).toMatchObject({ chainId: 31337, to: fixture.contracts.htlcs.native.toLowerCase(), value: terms.amount })
    expect(functionOf(initiate.data).functionName).toBe('initiate')
  })

  it('of a token asks for an approval of the exact amount, unless there is one', async () => {
    const terms = newTerms('wbtc')
    const htlc = fixture.contracts.htlcs.wbtc
    const before = await callsFor(terms)
    expect(before.approval).toMatchObject({ to: fixture.contracts.tokens.wbtc.toLowerCase(), value: 0n })
    expect(functionOf(before.approval?.data ?? '0x')).toEqual({ functionName: 'approve', args: [htlc, terms.amount] })
    expect(before.initiate.value).toBe(0n)
    const approve = (amount: bigint) => ({
      to: fixture.contracts.tokens.wbtc,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [htlc, amount] }),
    })
    await fixture.sendAs(fixture.user, approve(terms.amount - 1n))
    await fixture.mine()
    expect((await callsFor(terms)).approval).not.toBeNull()
    await fixture.sendAs(fixture.user, approve(terms.amount))
    await fixture.mine()
    const after = await callsFor(terms)
    expect(after.approval).toBeNull()
    expect(after.typedData).toMatchObject({ primaryType: 'Initiate', message: { amount: '1000' } })
    // The limit is estimated now, so it is lower than the constant.
    expect(after.initiate.gasLimit).toBeLessThan(before.initiate.gasLimit)
  })

  it('of a token has a call that revokes the order, with about twice the gas that its initiator needs', async () => {
    const { revoke } = await callsFor(newTerms('wbtc'))
    if (revoke === undefined) throw new Error('there is no call')
    const call = { from: fixture.user.address, to: revoke.to, data: revoke.data }
    const needed = await fixture.local.request({ method: 'eth_estimateGas', params: [call] })
    // The estimate may be that of another order: each zero byte in its terms takes less.
    const percent = (revoke.gasLimit * 100n) / BigInt(String(needed))
    expect(percent).toBeGreaterThan(190n)
    expect(percent).toBeLessThan(210n)
  })

  it('asks for an unlimited approval where the app wants one', async () => {
    const { approval } = await callsFor(newTerms('usdc'), null, client, 'unlimited')
    expect(functionOf(approval?.data ?? '0x').args).toEqual([fixture.contracts.htlcs.usdc, maxUint256])
  })

  it('of a token like Tether resets a smaller allowance first, and the calls succeed one after the other', async () => {
    const token = await fixture.deploy(stubbornToken)
    const htlc = await fixture.deploy(htlcErc20, [token])
    const { user } = fixture
    await fixture.deployer.send([
      { to: token, data: encodeFunctionData({ abi: stubbornToken.abi, functionName: 'mint', args: [user.address, 10_000n] }) },
    ])
    const terms = newTerms('wbtc')
    const assets = fixture.assets.map((asset) => (asset.id === terms.asset ? { ...asset, deployment: { htlc, token } } : asset))
    const on = fixture.connect({ assets })
    const send = async ({ to, data, gasLimit }: Call) => {
      await fixture.sendAs(user, { to: to as Address, data: data as Hex, gas: gasLimit })
      await fixture.mine()
    }
    const first = await callsFor({ ...terms, amount: 5n }, null, on)
    expect(first.approvalReset).toBeUndefined()
    await send(first.approval as Call)

    const { approvalReset, approval, initiate } = await callsFor(terms, null, on)
    expect(functionOf(approvalReset?.data ?? '0x').args?.[1]).toBe(0n)
    for (const call of [approvalReset, approval, initiate]) await send(call as Call)
    expect((await readSwap(on, terms, 0n)).swap.phase).toBe('initiated')
    await on.close()
  })

  it('of a token that allows changes of an allowance resets nothing', async () => {
    const call = approvalCall(fixture.contracts.tokens.usdc, fixture.contracts.htlcs.usdc, 1n)
    await fixture.sendAs(fixture.user, call)
    await fixture.mine()
    const { approval, approvalReset } = await callsFor(newTerms('usdc'))
    expect([approvalReset, functionOf(approval?.data ?? '0x').args?.[1]]).toEqual([undefined, 1_000n])
  })

  it('by another payer is initiated on behalf, with the approval of that payer', async () => {
    const terms = newTerms('wbtc')
    await fixture.sendAs(fixture.user, {
      to: fixture.contracts.tokens.wbtc,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [fixture.contracts.htlcs.wbtc, maxUint256] }),
    })
    await fixture.mine()
    const { approval, initiate } = await callsFor(terms, '0x00000000000000000000000000000000000de1e9')
    expect(functionOf(initiate.data).functionName).toBe('initiateOnBehalf')
    expect(approval).not.toBeNull()
  })
})

describe('a payout', () => {
  async function initiatedWith(
    artifact: typeof falseReturnToken | typeof noReturnToken,
  ): Promise<{ token: Address; terms: HtlcTerms; on: ChainClient }> {
    const token = await fixture.deploy(artifact)
    const htlc = await fixture.deploy(htlcErc20, [token])
    const { solver, user } = fixture
    await fixture.deployer.send([
      { to: token, data: encodeFunctionData({ abi: falseReturnToken.abi, functionName: 'mint', args: [solver.address, 10_000n] }) },
    ])
    const terms = { ...newTerms('wbtc'), initiator: solver.address, redeemer: user.address }
    const assets = fixture.assets.map((asset) => (asset.id === terms.asset ? { ...asset, deployment: { htlc, token } } : asset))
    const on = fixture.connect({ assets })
    await on.initiate(terms, createMemoryOutbox(solver.signer).open('i'))
    await fixture.mine()
    await on.verifyPayout(terms, user.address)
    return { token, terms, on }
  }

  it('in a token that returns no data is accepted', async () => {
    const { on } = await initiatedWith(noReturnToken)
    await on.close()
  })

  it('in a token that returns false is refused', async () => {
    const { token, terms, on } = await initiatedWith(falseReturnToken)
    await fixture.deployer.send([
      { to: token, data: encodeFunctionData({ abi: falseReturnToken.abi, functionName: 'setFailing', args: [true] }) },
    ])
    await expect(on.verifyPayout(terms, null)).rejects.toMatchObject({ kind: 'would-fail' })
    await on.close()
  })

  it('of more than the HTLC holds is refused, and so is any payee but the redeemer', async () => {
    const terms = newTerms('usdc')
    await expect(client.verifyPayout(terms, null)).rejects.toMatchObject({ kind: 'would-fail' })
    await expect(client.verifyPayout(newTerms('eth'), fixture.user.address)).rejects.toMatchObject({ kind: 'would-fail' })
  })
})

describe('a recipient that burns gas', () => {
  /** The code burns about 30 gas for each round when it is called. */
  const burner = (rounds: number) =>
    // The code is PUSH3 rounds, JUMPDEST, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 4, JUMPI, STOP.
    fixture.deploy({ abi: [], bytecode: `0x600e8060095f395ff362${rounds.toString(16).padStart(6, '0')}5b600190038060045700` })
  const PAYOUT_GAS = 100_000n
  const lockedFor = async (parties: Partial<HtlcTerms>) => {
    const secret = createSecret()
    const terms = { ...newTerms('eth'), initiator: fixture.solver.address, ...parties, secretHash: hashSecret(secret) }
    await client.initiate(terms, createMemoryOutbox(fixture.solver.signer).open('i'))
    await fixture.mine()
    return { terms, secret }
  }

  it('is refused before the secret is shown, unless it burns no more than a contract wallet', async () => {
    const modest = await lockedFor({ redeemer: await burner(1_000) })
    await client.verifyPayout(modest.terms, null)
    const greedy = await lockedFor({ redeemer: await burner(10_000) })
    await expect(client.verifyPayout(greedy.terms, null)).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringContaining(`${PAYOUT_GAS}`),
    })
  })

  it.each(['gas required exceeds allowance (50000000)', 'out of gas'])('is refused when the node says "%s"', async (message) => {
    const terms = newTerms('eth')
    const node = createNode(fixture.local.rpcUrl, 5_000)
    const estimateGas = () => Promise.reject(new NodeRefusal(-32000, message, null))
    const contract = createContracts(fixture.chain, fixture.assets).of(terms.asset)
    const endless = verifyPayout({ ...node, call: async () => '0x', estimateGas }, fixture.chain, contract, terms)
    await expect(endless).rejects.toMatchObject({ kind: 'would-fail' })
    node.close()
  })

  it('is not refunded at our expense', async () => {
    const modest = await lockedFor({ initiator: await burner(1_000), redeemer: fixture.user.address })
    const greedy = await lockedFor({ initiator: await burner(20_000), redeemer: fixture.user.address })
    await fixture.passSeconds(600n)
    const outbox = createMemoryOutbox(fixture.solver.signer)
    await client.refund(modest.terms, { deposits: [], to: null }, outbox.open('modest'))
    const late = client.refund(greedy.terms, { deposits: [], to: null }, outbox.open('greedy'))
    await expect(late).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('gas') })
    expect(outbox.attempts('greedy')).toEqual([])
    await fixture.mine()
    expect((await readSwap(client, modest.terms, 0n)).swap.phase).toBe('refunded')
  })
})

describe('a node', () => {
  const expectRefused = async (on: ChainClient, message: RegExp) => {
    await expect(on.verifyNode()).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringMatching(message) })
    await on.close()
  }
  const withDeployment = (htlc: Address, token: Address | null) =>
    fixture.connect({
      assets: fixture.assets.flatMap((asset) =>
        (asset.tokenSchema === null) === (token === null) ? [{ ...asset, deployment: { htlc, token } }] : [],
      ),
    })

  it('of another chain is refused', async () => {
    await expectRefused(fixture.connect({ chain: { ...fixture.chain, reference: 'evm:1' } }), /serves evm:31337, expected evm:1/)
  })

  it('without our contracts is refused', async () => {
    const { tokens, htlcs } = fixture.contracts
    await expectRefused(withDeployment('0x00000000000000000000000000000000000000ff', null), /no contract/)
    for (const token of ['0x00000000000000000000000000000000000000ff', tokens.usdc, null] as const) {
      await expectRefused(withDeployment(htlcs.wbtc, token), /is not that of our HTLC/)
    }
  })
})

it('the balance that pays for gas needs no contract', async () => {
  const bare = fixture.connect({ assets: [] })
  const { nativeAsset } = fixture.chain
  expect(await bare.balance(nativeAsset, fixture.user.address)).toBe(await client.balance(nativeAsset, fixture.user.address))
  expect(() => bare.balance(`${fixture.chain.id}:wbtc`, fixture.user.address)).toThrow('no HTLC of asset')
  await bare.close()
})
