/** Tests the HyperCore client on the simulator: funding calls, payments from a spot account, and refused nodes. */

import type { DeployRequest } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { htlcErc20 } from '@tandem/evm/contract/artifacts/htlc-erc20.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Address, concat, encodeFunctionData, erc20Abi, pad } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { coreTokens } from '../local/core-state-machine.ts'
import { CORE_WRITER, isSystemAddress, systemAddressOf } from '../terms/core.ts'
import { accountAt, initiateFromAccountData, withdrawData } from '../terms/htlc.ts'
import { AMOUNT, openHypercoreClient, undoAfterEach } from './client.fixture.ts'
import { callsOf, EVM_PER_CORE } from './hypercore.fixture.ts'
import { hypercore } from './index.ts'

const { fixture, client, termsOf } = await openHypercoreClient()
undoAfterEach(fixture)
beforeEach(async () => {
  deadline = (await client.tip()).time + 3_600n
})

let deadline: bigint

const fundingOf = async (terms: HtlcTerms, payer: string | null = null) =>
  callsOf(await client.funding({ terms, deadline, payer, approval: 'exact' }))

const transferTo = (to: Address, value: bigint) => encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, value] })

test('system addresses are as documented, and cannot be payees', () => {
  expect(systemAddressOf(200n)).toBe('0x20000000000000000000000000000000000000c8')
  for (const address of [systemAddressOf(0n), systemAddressOf(2n ** 64n - 1n), '0x2222222222222222222222222222222222222222'])
    expect(isSystemAddress(address), address).toBe(true)
  for (const address of [CORE_WRITER, '0x2000000000000000000000010000000000000001', fixture.user.address])
    expect(isSystemAddress(address), address).toBe(false)
  expect(() => client.text.parseAddress(systemAddressOf(1n))).toThrow(/belongs to nobody/)
})

test('the funding calls move the amount to the account of the payer at the HTLC, then lock it, in units of HyperCore', async () => {
  const terms = termsOf(fixture.user, fixture.solver)
  const { chainId, address: to } = fixture.contract
  const { transfer, approval, initiate, reclaim, typedData, numbers } = await fundingOf(terms)
  const word = (value: bigint) => pad(`0x${value.toString(16)}`, { size: 32 })
  // The call is sendRawAction(bytes), with version 1, action 6, abi.encode(account, token 1, amount).
  const action = concat(['0x01', '0x000006', pad(accountAt(fixture.contract, fixture.user.address), { size: 32 }), word(1n), word(AMOUNT)])
  const data = concat(['0x17938e13', word(32n), word(100n), action, `0x${'00'.repeat(28)}`])
  expect(transfer).toEqual({ chainId, to: CORE_WRITER, data, value: 0n, gasLimit: 100_000n })
  expect([approval, numbers]).toEqual([null, 'hex'])
  expect(initiate).toMatchObject({ chainId, to, data: initiateFromAccountData({ terms, deadline }) })
  // The value is 200,000 gas in HYPE, in units of HyperCore.
  expect([initiate.value > 0n, initiate.value % 10n ** 10n, initiate.value <= 10n ** 16n]).toEqual([true, 0n, true])
  expect(reclaim).toMatchObject({ chainId, to, data: withdrawData(1n), value: 0n })
  expect(typedData).toMatchObject({ domain: { verifyingContract: fixture.contract.address }, message: { amount: AMOUNT.toString() } })
  // Another payer consents to the same, with money of its own.
  const other = await fundingOf(terms, fixture.relay.address)
  expect(other.initiate.data).toBe(initiate.data)
  expect(other.transfer.data).toContain(accountAt(fixture.contract, fixture.relay.address).slice(2))
})

describe('a solver whose money is in its spot account', () => {
  const spotOnly = async (withGas: boolean) => {
    const solver = await fixture.party()
    await fixture.faucet.fundSpot(solver.address, coreTokens.purr, 3n * AMOUNT)
    if (withGas) await fixture.faucet.fundGas(solver.address)
    expect(await client.balance(fixture.asset.id, solver.address)).toBe(3n * AMOUNT)
    return { solver, outbox: createMemoryOutbox(solver.signer) }
  }
  const moves = async (outbox: ReturnType<typeof createMemoryOutbox>, key: string) =>
    outbox.attempts(key).filter(({ raw }) => raw.includes(CORE_WRITER.slice(2))).length

  test('moves the missing amount to HyperEVM once, and initiates when it has arrived', async () => {
    const { solver, outbox } = await spotOnly(true)
    const terms = termsOf(solver, fixture.user)
    const initiate = () => client.initiate(terms, outbox.open('initiate'))
    // The time to the next try does not grow.
    const expected = {
      isExpected: true,
      retryAfterMs: 500,
      message: expect.stringMatching(/1000000 of HyperCore's token 1 are on their way/),
    }
    await expect(initiate()).rejects.toMatchObject(expected)
    await expect(initiate()).rejects.toThrow(/on their way/)
    await fixture.mine()
    await expect(initiate()).rejects.toThrow(/on their way/)
    await fixture.mine()
    await initiate()
    await fixture.mine()
    expect(await moves(outbox, 'initiate')).toBe(1)
    expect(await fixture.evmBalance(fixture.contract.address)).toBe(AMOUNT * EVM_PER_CORE)
    expect(await client.balance(fixture.asset.id, solver.address)).toBe(2n * AMOUNT)
  })

  test('moves enough for the next orders too, but at most a quarter of its spot balance', async () => {
    const { solver, outbox } = await spotOnly(true)
    const moved = async (spot: bigint, amount: bigint) => {
      await fixture.faucet.fundSpot(solver.address, coreTokens.purr, spot)
      const before = await fixture.spotBalance(solver.address)
      const terms = termsOf(solver, fixture.user, amount)
      await expect(client.initiate(terms, outbox.open(`initiate ${amount}`))).rejects.toThrow(/on their way/)
      await fixture.mine(2)
      return before - (await fixture.spotBalance(solver.address))
    }
    // The account has 3 × AMOUNT from the start.
    expect(await moved(97n * AMOUNT, AMOUNT)).toBe(20n * AMOUNT)
    const rest = 80n * AMOUNT
    expect(await moved(0n, 22n * AMOUNT)).toBe(rest / 4n)
    await client.initiate(termsOf(solver, fixture.user), outbox.open('initiate at once'))
  })

  test('retries when HyperCore dropped it, but not before it could have arrived', async () => {
    const { solver, outbox } = await spotOnly(false)
    const terms = termsOf(solver, fixture.user)
    const initiate = () => client.initiate(terms, outbox.open('initiate'))
    await expect(initiate()).rejects.toThrow(/on their way/)
    await fixture.mine(2)
    await expect(initiate()).rejects.toThrow(/on their way/)
    expect(await moves(outbox, 'initiate')).toBe(1)
    await fixture.faucet.fundGas(solver.address)
    outbox.passSeconds(10n)
    await expect(initiate()).rejects.toThrow(/on their way/)
    expect(await moves(outbox, 'initiate')).toBe(2)
    await fixture.mine(2)
    await initiate()
    await fixture.mine()
    expect(await fixture.evmBalance(fixture.contract.address)).toBe(AMOUNT * EVM_PER_CORE)
  })

  test('stops after HyperCore dropped it several times', async () => {
    const { solver, outbox } = await spotOnly(false)
    const terms = termsOf(solver, fixture.user)
    const initiate = () => client.initiate(terms, outbox.open('initiate'))
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(initiate()).rejects.toThrow(/on their way/)
      await fixture.mine(2)
      outbox.passSeconds(10n)
    }
    await expect(initiate()).rejects.toThrow(/has dropped 3 transfers of it to HyperEVM/)
    expect(await moves(outbox, 'initiate')).toBe(3)
  })

  test('counts only its spendable balance: not the part on hold, and nothing in an account that was never activated', async () => {
    const { solver, outbox } = await spotOnly(true)
    await fixture.local.hold(solver.address, coreTokens.purr, AMOUNT)
    expect(await client.balance(fixture.asset.id, solver.address)).toBe(2n * AMOUNT)
    await expect(client.initiate(termsOf(solver, fixture.user, 2n * AMOUNT + 1n), outbox.open('initiate'))).rejects.toThrow(
      /2000000 free in its spot account/,
    )
    // A transfer to HyperCore also credits an account that was never activated.
    const stranger = await fixture.party()
    await fixture.sendAs(fixture.user, { to: fixture.contract.token, data: transferTo(stranger.address, 2n * AMOUNT * EVM_PER_CORE) })
    await fixture.mine()
    await fixture.sendAs(stranger, {
      to: fixture.contract.token,
      data: transferTo(systemAddressOf(coreTokens.purr), AMOUNT * EVM_PER_CORE),
    })
    await fixture.mine()
    expect(await fixture.spotBalance(stranger.address)).toBe(AMOUNT)
    expect(await client.balance(fixture.asset.id, stranger.address)).toBe(AMOUNT)
  })

  test('signs nothing if both sides together hold too little', async () => {
    const { solver, outbox } = await spotOnly(true)
    const terms = termsOf(solver, fixture.user, 3n * AMOUNT + 1n)
    await expect(client.initiate(terms, outbox.open('initiate'))).rejects.toThrow(
      /0 .* on HyperEVM and 3000000 free in its spot account, needs 3000001/,
    )
    expect(outbox.attempts('initiate')).toEqual([])
  })
})

test('a payout is simulated on the side on which it will be paid', async () => {
  const stranger = await fixture.party()
  const nobody = termsOf(fixture.user, stranger)
  await expect(client.verifyPayout(nobody, null)).rejects.toMatchObject({ kind: 'would-fail' })
  await fixture.sendAs(fixture.user, {
    to: fixture.contract.token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [fixture.contract.address, AMOUNT * EVM_PER_CORE] }),
  })
  await fixture.mine()
  await client.verifyPayout(nobody, null)
  await client.verifyPayout(termsOf(fixture.user, fixture.solver), fixture.solver.address)
  // Amounts are compared in units of the ERC-20, not of HyperCore.
  await expect(client.verifyPayout(termsOf(fixture.user, fixture.solver, AMOUNT + 1n), null)).rejects.toMatchObject({ kind: 'would-fail' })
  await expect(client.verifyPayout(nobody, fixture.user.address)).rejects.toMatchObject({ kind: 'would-fail' })
})

describe('a node is refused', () => {
  const bridgeFundsOf = async (to: Address) => {
    const data = encodeFunctionData({ abi: htlcCore.abi, functionName: 'bridgeFunds' })
    return ((await fixture.local.request({ method: 'eth_call', params: [{ to, data }, 'latest'] })) as string).slice(0, 66)
  }
  const verify = async (change: { readonly htlc?: Address; readonly decimals?: number; readonly reference?: string }) => {
    const { htlc = fixture.contract.address, decimals = 5, reference = fixture.chain.reference } = change
    const assets = [{ ...fixture.asset, decimals, deployment: { htlc, token: fixture.contract.token } }]
    const other = hypercore.connect({ ...fixture.chain, reference }, { assets, endpoints: { rpc: [fixture.local.rpcUrl] } })
    await other.verifyNode().finally(() => other.close())
  }

  test('with other decimals on HyperCore, another HTLC, or another chain id', async () => {
    await verify({})
    await expect(verify({ decimals: 18 })).rejects.toThrow(/HyperCore counts it in 5 decimals, the registry in 18/)
    await expect(verify({ htlc: await fixture.deploy(htlcErc20, [fixture.contract.token]) })).rejects.toMatchObject({ kind: 'would-fail' })
    await expect(verify({ htlc: fixture.user.address })).rejects.toThrow(/there is no HTLC for a token of HyperCore/)
    await expect(verify({ reference: 'evm:999' })).rejects.toThrow(/expected evm:999/)
  })

  test('if the HTLC counted too much in the bridge when it was deployed', async () => {
    const data = transferTo(systemAddressOf(coreTokens.purr), AMOUNT * EVM_PER_CORE)
    await fixture.sendAs(fixture.user, { to: fixture.contract.token, data, tip: 50_000_000_000n })
    const htlc = await fixture.deploy(htlcCore, [coreTokens.purr])
    await expect(verify({ htlc })).rejects.toThrow(/payouts to HyperCore might be lost until somebody calls its recount/)
    const recount = encodeFunctionData({ abi: htlcCore.abi, functionName: 'recount' })
    await fixture.deployer.send([{ to: htlc, data: recount }])
    await verify({ htlc })
    // The count never goes upwards, because the bridge may lose a higher balance again.
    const believed = () => fixture.deployer.send([{ to: htlc, data: recount }]).then(() => bridgeFundsOf(htlc))
    const before = await believed()
    await fixture.local.setBridgeBalance(coreTokens.purr, 10n ** 16n)
    expect(await believed()).toBe(before)
  })

  test('if HyperCore has linked the token to another ERC-20', async () => {
    await fixture.local.link(coreTokens.purr, { erc20: fixture.user.address, weiDecimals: 5, extraDecimals: 13 })
    await expect(verify({})).rejects.toThrow(/token 1 of HyperCore is linked to 0x/)
  })

  test('if its ERC-20 has more decimals than our keys know a limit for', async () => {
    await fixture.local.link(coreTokens.purr, { erc20: fixture.contract.token, weiDecimals: 5, extraDecimals: 14 })
    const htlc = await fixture.deploy(htlcCore, [coreTokens.purr])
    await expect(verify({ htlc })).rejects.toThrow(/its ERC-20 has 19 decimals, and our keys approve those with 18 at most/)
  })
})

test('deploying finds the token on HyperCore, deploys its HTLC once, and prints the remaining steps', async () => {
  const said: string[] = []
  const request: DeployRequest = {
    chain: { ...fixture.chain, pollMs: 1 },
    endpoints: { rpc: [fixture.local.rpcUrl] },
    asset: fixture.asset,
    token: fixture.contract.token,
    signer: fixture.user.signer,
    dryRun: true,
    bringDeployer: true,
    onProgress: (what) => void said.push(what),
  }
  const planned = await hypercore.deployHtlc?.(request)
  expect(said[0]).toContain('is token 1 of HyperCore, 1 of its units is 10000000000000 of')
  expect(said[1]).toContain('let the account of the deployer use big blocks')
  fixture.local.setMining({ kind: 'instant' })
  const deployed = await hypercore.deployHtlc?.({ ...request, dryRun: false })
  expect(await hypercore.deployHtlc?.({ ...request, dryRun: false })).toEqual(planned)
  fixture.local.setMining({ kind: 'manual' })
  expect(deployed).toEqual({ ...planned, tx: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
  expect(said.at(-1)).toContain('has no account on HyperCore')
  expect(said.at(-2)).toContain('make sure that its deployer on HyperCore has no freeze privilege')
  const sent = (await fixture.local.request({ method: 'eth_getTransactionByHash', params: [deployed?.tx] })) as { gas: `0x${string}` }
  // The blocks that HyperEVM makes every second have this gas limit, as its nodes show it.
  expect(BigInt(sent.gas)).toBeLessThan(3_000_000n)
  const other = fixture.connect(deployed?.htlc as Address)
  await other.verifyNode()
  await other.close()
  const elsewhere = { ...request, token: fixture.user.address }
  await expect(hypercore.deployHtlc?.(elsewhere)).rejects.toThrow(/links none of its tokens to/)
})
