/** These tests redeem tokens with gas for the recipient on a real SVM: who gets it, how often, and what must not stop the payout. */
import { randomUUID } from 'node:crypto'
import { type Address, address, type Signature } from '@solana/kit'
import { redeemGiving, ShortOfCoin } from '@tandem/chain-kit/contract/payout-gas.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { htlcProgram } from '../contract/artifacts/htlc.ts'
import { systemProgram } from '../contract/client/programs.ts'
import { readAttempt } from '../terms/send/transaction.ts'
import { readHtlcState } from './contract-state.ts'
import { createExecutor, type SolanaExecutor } from './execute.ts'
import { solana } from './index.ts'
import { startLocalFixture, type TestParty, type TestSwap } from './local-chain.fixture.ts'
import { payoutGas } from './send/payout-gas.ts'

const fixture = opened(startLocalFixture)
let executor: SolanaExecutor
beforeAll(async () => {
  executor = createExecutor(fixture.node)
})

const GAS = 2_000_000n
const RENT = 890_880n
const loader = address('BPFLoader2111111111111111111111111111111111')
const newKey = () => randomUUID()
const lamportsOf = (owner: Address) => fixture.node.balance(owner)

async function initiated(redeemer: Address): Promise<TestSwap> {
  const swap = await fixture.swap(fixture.token, { redeemer })
  await executor.initiate(fixture.token, swap.terms, fixture.solver.outbox.open(newKey()))
  fixture.mine()
  return swap
}

type Redeem = { readonly key?: string; readonly gas?: bigint; readonly by?: TestParty }

const redeem = ({ terms, secret }: TestSwap, { key = newKey(), gas = GAS, by = fixture.relay }: Redeem = {}) =>
  redeemGiving(gas, (given) => executor.redeem(fixture.token, terms, secret, by.outbox.open(key), given))

const stateOf = ({ terms }: TestSwap) => readHtlcState(fixture.node, fixture.token, terms)

async function expectPaid(swap: TestSwap, lamports: bigint): Promise<void> {
  const recipient = swap.terms.redeemer as Address
  expect(await stateOf(swap)).toBe('redeemed')
  expect([await fixture.tokensOf(recipient), await lamportsOf(recipient)]).toEqual([swap.terms.amount, lamports])
}

describe('gas for the recipient of tokens', () => {
  it('comes after the redeem, in its transaction, from its sender', async () => {
    const [recipient, key] = [fixture.newAddress(), newKey()]
    const swap = await initiated(recipient)
    const before = await lamportsOf(fixture.relay.address)
    await redeem(swap, { key })
    fixture.mine()
    await expectPaid(swap, GAS)
    const attempts = fixture.relay.outbox.attempts(key)
    const programs = attempts.map((attempt) => readAttempt(attempt).call.instructions.map(({ programAddress }) => programAddress))
    expect(programs).toEqual([[fixture.token.program, systemProgram]])
    expect(before - (await lamportsOf(fixture.relay.address))).toBeLessThanOrEqual(GAS + 10_000n)
  })

  it.each([
    ['has coin already', (at: Address) => fixture.setLamports(at, 5_000_000n), 5_000_000n],
    ['holds less than any account may', (at: Address) => fixture.setLamports(at, 1n), 1n],
    [
      'belongs to a program',
      (at: Address) => fixture.put(at, fixture.sol.program, new Uint8Array(8), { balance: 10_000_000n }),
      10_000_000n,
    ],
  ])('is given to an account that %s', async (_, put, held) => {
    const recipient = fixture.newAddress()
    put(recipient)
    const swap = await initiated(recipient)
    await redeem(swap)
    fixture.mine()
    await expectPaid(swap, held + GAS)
  })

  it('is given once, although the first transaction was lost and has expired', async () => {
    const [recipient, key] = [fixture.newAddress(), newKey()]
    const swap = await initiated(recipient)
    fixture.chain.faults.drop(1)
    const lost = await redeem(swap, { key })
    fixture.passLifetime()
    const tx = await redeem(swap, { key })
    fixture.mine()
    expect(await redeem(swap, { key })).toBe(tx)
    fixture.mine()
    expect(fixture.relay.outbox.attempts(key).map((attempt) => attempt.tx)).toEqual([lost, tx])
    await expectPaid(swap, GAS)
  })

  it('is not given by a transaction that comes after the redeem of somebody else', async () => {
    const [recipient, key] = [fixture.newAddress(), newKey()]
    const swap = await initiated(recipient)
    const { terms, secret } = swap
    const hurried = createExecutor({ ...fixture.node, priorityFee: async () => 10_000n })
    await hurried.redeem(fixture.token, terms, secret, fixture.user.outbox.open(newKey()))
    const tx = await redeem(swap, { key })
    fixture.mine()
    expect(await fixture.node.outcome(tx as Signature)).toMatchObject({ error: { InstructionError: [2, expect.anything()] } })
    await expectPaid(swap, 0n)
    await expect(redeem(swap, { key })).rejects.toMatchObject({ kind: 'superseded' })
    expect(fixture.relay.outbox.attempts(key)).toHaveLength(1)
  })
})

describe('a payout of SOL', () => {
  it('gives no gas, because it is the gas: nothing is signed', async () => {
    const [chain, key] = [localChains.find(({ id }) => id === 'solana_localnet'), newKey()]
    if (chain === undefined) throw new Error('the local registry has no chain solana_localnet')
    const sol = localAssets.filter(({ id }) => id === fixture.sol.asset)
    const assets = sol.map((asset) => ({ ...asset, deployment: { htlc: fixture.sol.program, token: null } }))
    const client = solana.connect(chain, { assets, endpoints: { rpc: [fixture.chain.url] } })
    const { terms, secret } = await fixture.swap(fixture.sol)
    const given = client.redeem(terms, { deposits: [], to: null, secret, gas: GAS }, fixture.relay.outbox.open(key))
    await expect(given).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringMatching(/solana_localnet:sol.*gives no gas/) })
    expect(fixture.relay.outbox.attempts(key)).toEqual([])
    expect(client.payoutGas).toBeUndefined()
    await client.close()
  })
})

describe('a payout of tokens goes without the gas', () => {
  it('to an account that has become a program, which can take none', async () => {
    const recipient = fixture.newAddress()
    const swap = await initiated(recipient)
    fixture.put(recipient, loader, Buffer.from(htlcProgram.base64, 'base64'), { executable: true })
    const before = await lamportsOf(recipient)
    await redeem(swap)
    fixture.mine()
    await expectPaid(swap, before)
  })

  it.each([
    ['that holds the state of the chain', 'SysvarC1ock11111111111111111111111111111111'],
    ['without an account', 'Sysvar1111111111111111111111111111111111111'],
  ])('to an address %s, to which no transaction may write', async (_, name) => {
    const swap = await initiated(address(name))
    const before = await lamportsOf(address(name))
    await redeem(swap)
    fixture.mine()
    await expectPaid(swap, before)
  })

  it('to a new account for which it is too little', async () => {
    const [less, enough] = [await initiated(fixture.newAddress()), await initiated(fixture.newAddress())]
    expect(payoutGas).toEqual({ decimals: 9, minAmount: RENT })
    await redeem(less, { gas: RENT - 1n })
    await redeem(enough, { gas: RENT })
    fixture.mine()
    await expectPaid(less, 0n)
    await expectPaid(enough, RENT)
  })

  it('from a sender that cannot give it, also because of what it has promised in unmined transactions', async () => {
    // No other transaction of the sender can be mined any more.
    fixture.passLifetime()
    const { address } = fixture.relay
    const before = await lamportsOf(address)
    const swaps = [await initiated(fixture.newAddress()), await initiated(fixture.newAddress())]
    const [first, second] = swaps
    if (first === undefined || second === undefined) throw new Error('expected two')
    fixture.setLamports(address, RENT + GAS + 100_000n)
    await redeem(first)
    await redeem(second)
    fixture.mine()
    await expectPaid(first, GAS)
    await expectPaid(second, 0n)
    fixture.setLamports(address, before)
  })

  it('only if it is the coin that is missing, and the failure then has the amounts', async () => {
    const { terms, secret } = await initiated(fixture.newAddress())
    const [poor, key] = [fixture.stranger, newKey()]
    fixture.setLamports(poor.address, RENT + GAS)
    const given = executor.redeem(fixture.token, terms, secret, poor.outbox.open(key), GAS)
    await expect(given).rejects.toBeInstanceOf(ShortOfCoin)
    await expect(given).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/holds 2890880 lamports; it needs 28\d{5}/),
    })
    expect(poor.outbox.attempts(key)).toEqual([])
  })
})
