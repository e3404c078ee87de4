/** What the HyperCore client tells users to send, how it pays out of a spot account, and what it refuses, on the simulator. */
import { type Address, concat, encodeFunctionData, erc20Abi, pad } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { htlcErc20 } from '../../../contracts/evm/artifacts/htlc-erc20.ts'
import { coreTokens } from '../../../devnet/hypercore/core-state-machine.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { createSecret, hashSecret } from '../../protocol/secret.ts'
import { createMemoryOutbox } from '../conformance-outbox.ts'
import type { ChainClient, DeployRequest } from '../family.ts'
import { CORE_WRITER, isSystemAddress, systemAddressOf } from './core.ts'
import { depositAddressOf } from './deposit.ts'
import { callsOf, createHypercoreFixture, EVM_PER_CORE, type HypercoreFixture, type TestParty, transactionOf } from './hypercore-fixture.ts'
import { hypercore } from './index.ts'

const AMOUNT = 1_000_000n
let fixture: HypercoreFixture
let client: ChainClient
let snapshot: unknown
beforeAll(async () => {
  fixture = await createHypercoreFixture()
  client = fixture.connect()
})
afterAll(async () => {
  await client.close()
  await fixture.close()
})
beforeEach(async () => {
  snapshot = await fixture.local.request({ method: 'evm_snapshot' })
})
afterEach(async () => {
  await fixture.local.request({ method: 'evm_revert', params: [snapshot] })
})

function termsOf(initiator: TestParty, redeemer: TestParty, amount = AMOUNT): HtlcTerms {
  const secretHash = hashSecret(createSecret())
  return { asset: fixture.asset.id, initiator: initiator.address, redeemer: redeemer.address, amount, timelock: 600n, secretHash }
}

const fundingOf = async (terms: HtlcTerms, delegate: string | null = null) =>
  callsOf(await client.funding({ terms, delegate, approval: 'exact' }))

test('system addresses are those of the documentation, and nobody is paid there', () => {
  expect(systemAddressOf(200n)).toBe('0x20000000000000000000000000000000000000c8')
  for (const address of [systemAddressOf(0n), systemAddressOf(2n ** 64n - 1n), '0x2222222222222222222222222222222222222222'])
    expect(isSystemAddress(address), address).toBe(true)
  for (const address of [CORE_WRITER, '0x2000000000000000000000010000000000000001', fixture.user.address])
    expect(isSystemAddress(address), address).toBe(false)
  expect(() => client.parseAddress(systemAddressOf(1n))).toThrow(/belongs to nobody/)
})

test('the user is told to move the amount to HyperEVM, then to the address of the order, in the units of each side', async () => {
  const terms = termsOf(fixture.user, fixture.solver)
  const { chainId, token } = fixture.contract
  const { coreToEvmTransfer, approval, initiate, typedData, numbers } = await fundingOf(terms)
  const word = (value: bigint) => pad(`0x${value.toString(16)}`, { size: 32 })
  // sendRawAction(bytes): version 1, action 6, abi.encode(system address, token 1, amount).
  const action = concat(['0x01', '0x000006', pad(systemAddressOf(1n), { size: 32 }), word(1n), word(AMOUNT)])
  const data = concat(['0x17938e13', word(32n), word(100n), action, `0x${'00'.repeat(28)}`])
  expect(coreToEvmTransfer).toEqual({ chainId, to: CORE_WRITER, data, value: 0n, gasLimit: 100_000n })
  expect([approval, numbers]).toEqual([null, 'hex'])
  expect(initiate).toMatchObject({ chainId, to: token, value: 0n })
  const deposit = depositAddressOf(fixture.contract, terms)
  expect(initiate.data).toBe(encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [deposit, AMOUNT * EVM_PER_CORE] }))
  expect(typedData).toMatchObject({ domain: { verifyingContract: fixture.contract.address }, message: { amount: AMOUNT.toString() } })
  // Whoever pays in the user's place pays the same.
  expect((await fundingOf(terms, fixture.relay.address)).initiate.data).toBe(initiate.data)
})

describe('a deposit', () => {
  test('is as good as a signature once it is all there', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    const { gasless } = client
    const outbox = createMemoryOutbox(fixture.relay.signer)
    expect(await gasless?.paidGrant?.(terms)).toBeNull()
    await expect(gasless?.initiate(terms, 'deposit', outbox.open('early'))).rejects.toMatchObject({ kind: 'would-fail' })
    expect(outbox.attempts('early')).toEqual([])
    await fixture.sendAs(fixture.user, transactionOf((await fundingOf(terms)).initiate))
    await fixture.mine()
    const grant = await gasless?.paidGrant?.(terms)
    expect(grant).toBe('deposit')
    await gasless?.initiate(terms, grant ?? '', outbox.open('initiate'))
    await fixture.mine()
    expect(await gasless?.paidGrant?.(terms)).toBeNull()
    expect(await fixture.evmBalance(fixture.contract.address)).toBe(AMOUNT * EVM_PER_CORE)
  })

  test('serves a user who signed and then paid, in place of the allowance that is missing', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    const { typedData, initiate } = await fundingOf(terms)
    const signature = await fixture.user.account.signTypedData(JSON.parse(JSON.stringify(typedData)))
    await expect(client.gasless?.verify(terms, signature)).rejects.toMatchObject({ code: 'bad_request' })
    await expect(client.gasless?.verify(terms, signature)).rejects.toThrow(/has approved 0.*initiate_transaction, which needs neither/)
    const stranger = await fixture.relay.account.signTypedData(JSON.parse(JSON.stringify(typedData)))
    await expect(client.gasless?.verify(terms, stranger)).rejects.toMatchObject({ code: 'invalid_signature' })
    await fixture.sendAs(fixture.user, transactionOf(initiate))
    await fixture.mine()
    await client.gasless?.verify(terms, signature)
    await client.gasless?.initiate(terms, signature, createMemoryOutbox(fixture.relay.signer).open('initiate'))
    await fixture.mine()
    expect(await fixture.evmBalance(fixture.contract.address)).toBe(AMOUNT * EVM_PER_CORE)
  })
})

describe('a solver whose money is in its spot account', () => {
  const spotOnly = async (withGas: boolean) => {
    const solver = await fixture.party()
    await fixture.faucet.giveSpot(solver.address, coreTokens.purr, 3n * AMOUNT)
    if (withGas) await fixture.faucet.giveGas(solver.address)
    expect(await client.balance(fixture.asset.id, solver.address)).toBe(3n * AMOUNT)
    return { solver, outbox: createMemoryOutbox(solver.signer) }
  }
  const moves = async (outbox: ReturnType<typeof createMemoryOutbox>, key: string) =>
    outbox.attempts(key).filter(({ raw }) => raw.includes(CORE_WRITER.slice(2))).length

  test('brings what is missing to HyperEVM once, and initiates when it has arrived', async () => {
    const { solver, outbox } = await spotOnly(true)
    const terms = termsOf(solver, fixture.user)
    const initiate = () => client.initiate(terms, outbox.open('initiate'))
    await expect(initiate()).rejects.toThrow(/1000000 of HyperCore's token 1 are on their way/)
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

  test('tries again when HyperCore dropped it, but not before it could have arrived', async () => {
    const { solver, outbox } = await spotOnly(false)
    const terms = termsOf(solver, fixture.user)
    const initiate = () => client.initiate(terms, outbox.open('initiate'))
    await expect(initiate()).rejects.toThrow(/on their way/)
    await fixture.mine(2)
    await expect(initiate()).rejects.toThrow(/on their way/)
    expect(await moves(outbox, 'initiate')).toBe(1)
    await fixture.faucet.giveGas(solver.address)
    outbox.passSeconds(10n)
    await expect(initiate()).rejects.toThrow(/on their way/)
    expect(await moves(outbox, 'initiate')).toBe(2)
    await fixture.mine(2)
    await initiate()
    await fixture.mine()
    expect(await fixture.evmBalance(fixture.contract.address)).toBe(AMOUNT * EVM_PER_CORE)
  })

  test('signs nothing for what both sides together do not hold', async () => {
    const { solver, outbox } = await spotOnly(true)
    const terms = termsOf(solver, fixture.user, 3n * AMOUNT + 1n)
    await expect(client.initiate(terms, outbox.open('initiate'))).rejects.toThrow(
      /0 .* on HyperEVM and 3000000 in its spot account, needs 3000001/,
    )
    expect(outbox.attempts('initiate')).toEqual([])
  })
})

test('a payout is tried as it would be made, wherever it goes', async () => {
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
  // As many units of the ERC-20 as the HTLC has, not of HyperCore.
  await expect(client.verifyPayout(termsOf(fixture.user, fixture.solver, AMOUNT + 1n), null)).rejects.toMatchObject({ kind: 'would-fail' })
  await expect(client.verifyPayout(nobody, fixture.user.address)).rejects.toMatchObject({ kind: 'would-fail' })
})

describe('a node is refused', () => {
  const verify = async (change: { readonly htlc?: Address; readonly decimals?: number; readonly reference?: string }) => {
    const { htlc = fixture.contract.address, decimals = 5, reference = fixture.chain.reference } = change
    const assets = [{ ...fixture.asset, decimals, deployment: { htlc, token: fixture.contract.token } }]
    const other = hypercore.connect({ ...fixture.chain, reference }, { assets, endpoints: { rpc: [fixture.local.rpcUrl] } })
    await other.verifyNode().finally(() => other.close())
  }

  test('when HyperCore counts in other decimals, when the HTLC is another, or the chain is', async () => {
    await verify({})
    await expect(verify({ decimals: 18 })).rejects.toThrow(/HyperCore counts it in 5 decimals, the registry in 18/)
    await expect(verify({ htlc: await fixture.deploy(htlcErc20, [fixture.contract.token]) })).rejects.toMatchObject({ kind: 'would-fail' })
    await expect(verify({ htlc: fixture.user.address })).rejects.toThrow(/there is no HTLC for a token of HyperCore/)
    await expect(verify({ reference: 'evm:999' })).rejects.toThrow(/expected evm:999/)
  })

  test('when HyperCore has linked the token elsewhere since', async () => {
    await fixture.local.link(coreTokens.purr, { erc20: fixture.user.address, weiDecimals: 5, extraDecimals: 13 })
    await expect(verify({})).rejects.toThrow(/token 1 of HyperCore is linked to 0x/)
  })
})

test('deploying finds the token on HyperCore, puts its HTLC where it belongs, once, and says what is left to do', async () => {
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
  fixture.local.setMining({ kind: 'instant' })
  const deployed = await hypercore.deployHtlc?.({ ...request, dryRun: false })
  expect(await hypercore.deployHtlc?.({ ...request, dryRun: false })).toEqual(planned)
  fixture.local.setMining({ kind: 'manual' })
  expect(deployed).toEqual({ ...planned, tx: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
  expect(said.at(-1)).toContain('has no account on HyperCore')
  const sent = (await fixture.local.request({ method: 'eth_getTransactionByHash', params: [deployed?.tx] })) as { gas: `0x${string}` }
  // What the blocks that HyperEVM makes every second have room for.
  expect(BigInt(sent.gas)).toBeLessThan(2_000_000n)
  const other = fixture.connect(deployed?.htlc as Address)
  await other.verifyNode()
  await other.close()
  const elsewhere = { ...request, token: fixture.user.address }
  await expect(hypercore.deployHtlc?.(elsewhere)).rejects.toThrow(/links none of its tokens to/)
})
