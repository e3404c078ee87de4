/** These tests redeem a coin with SUI for the recipient's gas: who gets it, how often, from which coins, and what must not stop the payout. */
import { redeemGiving, ShortOfCoin } from '@tandem/chain-kit/contract/payout-gas.ts'
import { createMemoryOutbox, type MemoryOutbox, OutboxFailure } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { newKey, SUI } from '../local/sui.fixture.ts'
import { type Address, accountOf } from '../terms/address.ts'
import { SUI_TYPE } from '../terms/coin-type.ts'
import { readAttempt } from '../terms/send/transaction.ts'
import { readHtlcState } from './contract-state.ts'
import { createDeployments } from './deployments.ts'
import { createExecutor } from './execute.ts'
import { payoutGas } from './fees/gas.ts'
import { connectNode } from './nodes/connect-node.ts'
import { createFamilyFixture } from './sui.fixture.ts'
import { verifyPackage } from './verify-package.ts'

const fixture = await createFamilyFixture()
const { devnet, solver } = fixture
const { chain } = devnet
const node = connectNode(fixture.chain, { endpoints: { rpc: [devnet.url] } })
const contract = fixture.contracts.of('sui_localnet:usdc')
const deployed = fixture.deployedOf('sui_localnet:usdc')
const executor = createExecutor(
  fixture.chain,
  node,
  createDeployments(node, (id) => verifyPackage(node, id)),
)
const funder = createMemoryOutbox(solver.key)
afterAll(async () => {
  node.close()
  await fixture.close()
})

const GAS = 300_000_000n
/** A redeem that gives gas may cost this much, at the usual price. */
const BUDGET = 27_000_000n
const newAddress = () => accountOf(createEd25519Key(newKey()))

type Swap = { readonly terms: HtlcTerms; readonly secret: string; readonly recipient: Address }

async function initiated(recipient = newAddress()): Promise<Swap> {
  const secret = createSecret()
  const parties = { initiator: solver.address, redeemer: recipient }
  const terms = { asset: contract.asset, ...parties, amount: 5_000_000n, secretHash: hashSecret(secret), timelock: 600_000n }
  await executor.initiate(contract, terms, funder.open(secret))
  chain.mine()
  return { terms, secret, recipient }
}

/** The result is the outbox of a new account that has these coins of SUI. */
async function relayWith(...mist: readonly bigint[]): Promise<MemoryOutbox> {
  const key = createEd25519Key(newKey())
  await devnet.fund(SUI_TYPE, accountOf(key), ...mist)
  chain.mine()
  return createMemoryOutbox(key)
}

const redeem = ({ terms, secret }: Swap, outbox: MemoryOutbox, { key = 'redeem', gas = GAS } = {}) =>
  redeemGiving(gas, (given) => executor.redeem(contract, terms, secret, outbox.open(key), given))

const mistOf = (owner: Address) => node.balance(owner, SUI_TYPE)

async function expectPaid({ terms, recipient }: Swap, mist: bigint): Promise<void> {
  chain.mine()
  expect(await readHtlcState(node, deployed, terms)).toBe('redeemed')
  expect([await node.balance(recipient, deployed.coinType), await mistOf(recipient)]).toEqual([terms.amount, mist])
}

describe('gas for the recipient of a coin', () => {
  it('is a coin of its own, from the SUI of the sender', async () => {
    const [swap, relay] = [await initiated(), await relayWith(SUI)]
    await redeem(swap, relay)
    await expectPaid(swap, GAS)
    expect((await node.coins(swap.recipient, SUI_TYPE)).map(({ balance }) => balance)).toEqual([GAS])
    const left = await mistOf(accountOf(relay.open('redeem').key))
    expect([left < SUI - GAS, left > SUI - GAS - BUDGET]).toEqual([true, true])
  })

  it('may be the least amount of SUI', async () => {
    const [swap, relay] = [await initiated(), await relayWith(SUI)]
    expect(payoutGas).toEqual({ decimals: 9, minAmount: 1n })
    await redeem(swap, relay, { gas: payoutGas.minAmount })
    await expectPaid(swap, 1n)
  })

  it('is given to an account that has coin already, and to the address of an object', async () => {
    const [rich, object] = [newAddress(), (await fixture.createTwin('sui_localnet:usdc')).registry]
    await devnet.fund(SUI_TYPE, rich, SUI)
    const relay = await relayWith(10n * SUI)
    for (const [recipient, held] of [[rich, SUI] as const, [object, 0n] as const]) {
      const swap = await initiated(recipient)
      await redeem(swap, relay, { key: recipient })
      await expectPaid(swap, held + GAS)
    }
  })

  it('and the budget come from as many coins as they need, up to the last MIST', async () => {
    const [swap, relay] = [await initiated(), await relayWith(100_000_000n, 200_000_000n, BUDGET)]
    await redeem(swap, relay)
    await expectPaid(swap, GAS)
  })

  it('is given once, although the first transaction was lost and has expired', async () => {
    const [swap, relay] = [await initiated(), await relayWith(SUI)]
    chain.faults.drop(1)
    await redeem(swap, relay).catch(() => undefined)
    chain.nextEpoch()
    await redeem(swap, relay)
    await expectPaid(swap, GAS)
    expect(relay.attempts('redeem')).toHaveLength(2)
    for (const attempt of relay.attempts('redeem')) await node.broadcast(readAttempt(attempt))
    await expectPaid(swap, GAS)
  })

  it('is not given by a transaction that comes after the redeem of somebody else', async () => {
    const [swap, relay] = [await initiated(), await relayWith(SUI)]
    const { terms, secret } = swap
    const died = executor.redeem(contract, terms, secret, relay.open('redeem', { fault: 'dies-after-recording' }), GAS)
    await expect(died).rejects.toThrow(OutboxFailure)
    await executor.redeem(contract, terms, secret, funder.open(`redeem ${secret}`))
    const [attempt] = relay.attempts('redeem')
    if (attempt === undefined) throw new Error('nothing is recorded')
    expect(await node.broadcast(readAttempt(attempt))).toMatchObject({ kind: 'accepted' })
    await expectPaid(swap, 0n)
    expect(await node.outcome(attempt.tx)).toMatchObject({ failure: { abort: { code: 11n } } })
    await expect(redeem(swap, relay)).rejects.toMatchObject({ kind: 'superseded' })
    expect(relay.attempts('redeem')).toHaveLength(1)
  })
})

describe('a payout goes without the gas', () => {
  it('from a sender that holds too little for both', async () => {
    const [swap, relay] = [await initiated(), await relayWith(GAS + BUDGET - 1n)]
    await redeem(swap, relay)
    await expectPaid(swap, 0n)
  })

  it('only if it is the coin that is missing, and the failure then has the amounts', async () => {
    const [{ terms, secret }, relay] = [await initiated(), await relayWith(GAS)]
    const given = executor.redeem(contract, terms, secret, relay.open('redeem'), GAS)
    await expect(given).rejects.toBeInstanceOf(ShortOfCoin)
    await expect(given).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/redeem: .* holds 300000000 of MIST, needs 327000000$/),
    })
    expect(relay.attempts('redeem')).toEqual([])
  })
})

describe('a payout of SUI', () => {
  it('gives no gas, because it is the gas: nothing is signed', async () => {
    const client = fixture.connect({ assets: [fixture.assetNamed('sui_localnet:sui')] })
    const [{ terms, secret }, relay] = [await initiated(), await relayWith(SUI)]
    const spend = { deposits: [], to: null, secret, gas: GAS }
    const given = client.redeem({ ...terms, asset: 'sui_localnet:sui' }, spend, relay.open('redeem'))
    await expect(given).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringMatching(/sui_localnet:sui.*gives no gas/) })
    expect(relay.attempts('redeem')).toEqual([])
    expect(client.payoutGas).toBeUndefined()
    await client.close()
  })
})
