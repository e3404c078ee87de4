/** Tests redeems on Tron that give the recipient TRX: the energy for a new account, what the sender must hold, and that it is given once. */

import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { createMemoryOutbox, type MemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { rejectingAccount } from '@tandem/evm/contract/artifacts/rejecting-account.ts'
import { createTestSigner, type TestSigner } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountOf, fromEvmAddress } from '../../terms/address.ts'
import { createTronFixture } from '../tron.fixture.ts'
import { readAttempt } from './transaction.ts'

const GAS_SUN = 3_000_000n

const fixture = opened(createTronFixture)
let client: ReturnType<typeof fixture.connect>
let payer: MemoryOutbox
beforeAll(async () => {
  client = fixture.connect()
  payer = createMemoryOutbox(fixture.solver.signer)
  // The approval is mined first.
  const terms = termsFor(createSecret(), newRecipient())
  for (let block = 0; block < 2; block += 1) await initiate(terms)
})
afterAll(() => client.close())

const newRecipient = () => fromEvmAddress(privateKeyToAccount(generatePrivateKey()).address)
const coins = (address: string) => client.balance(fixture.chain.nativeAsset, address)

function termsFor(secret: string, redeemer: string): HtlcTerms {
  const initiator = fixture.solver.address
  return { asset: 'tron_localnet:usdt', amount: 100_000n, timelock: 600n, initiator, redeemer, secretHash: hashSecret(secret) }
}

async function initiate(terms: HtlcTerms): Promise<void> {
  await client.initiate(terms, payer.open(client.swapId(terms)))
  await fixture.local.mine()
}

async function locked(redeemer: string) {
  const secret = createSecret()
  const terms = termsFor(secret, redeemer)
  await initiate(terms)
  const key = `redeem ${secret}`
  const redeem = (box: MemoryOutbox, gas: bigint | null) =>
    client.redeem(terms, { deposits: [], to: null, secret, ...(gas !== null && { gas }) }, box.open(key))
  const attempts = (box: MemoryOutbox) => Promise.all(box.attempts(key).map((attempt: Attempt) => readAttempt(attempt)))
  return { terms, redeem, attempts }
}

async function relayWith(sun: bigint): Promise<{ readonly signer: TestSigner; readonly box: MemoryOutbox; readonly address: string }> {
  const signer = createTestSigner(generatePrivateKey())
  const address = accountOf(signer)
  await fixture.deployer.transfer(address, sun)
  return { signer, address, box: createMemoryOutbox(signer) }
}

it('pays a recipient that refuses the coin, which stays with the sender', async () => {
  const recipient = await fixture.deployer.deploy(rejectingAccount, [])
  const { terms, redeem } = await locked(recipient)
  const { box, address } = await relayWith(100_000_000n)
  await redeem(box, 50_000_000n)
  await fixture.local.mine()
  expect(await client.balance(terms.asset, recipient)).toBe(terms.amount)
  expect(await coins(recipient)).toBe(0n)
  expect(await coins(address)).toBeGreaterThan(50_000_000n)
})

it('is not signed without the coin for it, whatever energy there is; then the payout is possible without it', async () => {
  const { terms, redeem, attempts } = await locked(newRecipient())
  const { box } = await relayWith(20_000_000n)
  await expect(redeem(box, 15_000_000n)).rejects.toMatchObject({
    kind: 'would-fail',
    message: expect.stringContaining('15000000 sun are given'),
  })
  expect(await attempts(box)).toEqual([])
  await redeem(box, null)
  await fixture.local.mine()
  expect(await client.balance(terms.asset, terms.redeemer)).toBe(terms.amount)
})

it('reserves the coin of an unmined redeem', async () => {
  const [first, second] = [await locked(newRecipient()), await locked(newRecipient())]
  const { box } = await relayWith(150_000_000n)
  await first.redeem(box, 40_000_000n)
  const [sent] = await first.attempts(box)
  expect(sent?.call.value).toBe(40_000_000n)
  const reserved = 40_000_000n + (sent?.feeLimitSun ?? 0n) + 1_000_000n
  await expect(second.redeem(box, 100_000_000n)).rejects.toThrow(`${reserved} sun are reserved for unmined transactions`)
  await fixture.local.mine()
})

it('is kept while it may be mined, though none is asked for any more, and given once', async () => {
  const { terms, redeem, attempts } = await locked(newRecipient())
  const { box } = await relayWith(100_000_000n)
  const tx = await redeem(box, GAS_SUN)
  expect(await redeem(box, null)).toBe(tx)
  expect(await attempts(box)).toHaveLength(1)
  await fixture.local.mine()
  expect(await redeem(box, null)).toBe(tx)
  expect(await coins(terms.redeemer)).toBe(GAS_SUN)
})

it('pays without it once a redeem with it has expired', async () => {
  const { terms, redeem, attempts } = await locked(newRecipient())
  const { box } = await relayWith(100_000_000n)
  fixture.local.faults.drop(1)
  await redeem(box, GAS_SUN)
  await fixture.local.passSeconds(61)
  await redeem(box, null)
  expect((await attempts(box)).map(({ call }) => call.value)).toEqual([GAS_SUN, 0n])
  await fixture.local.mine()
  expect(await coins(terms.redeemer)).toBe(0n)
  expect(await client.balance(terms.asset, terms.redeemer)).toBe(terms.amount)
})

it('uses no more energy than it is limited to, where it creates the account', async () => {
  const [plain, giving] = [await locked(newRecipient()), await locked(newRecipient())]
  const { box } = await relayWith(1_000_000_000n)
  const energyOf = async (tx: string) => {
    await fixture.local.mine()
    return (await fixture.user.wallet.trx.getUnconfirmedTransactionInfo(tx)).receipt?.energy_usage_total ?? 0
  }
  const usual = await energyOf(await plain.redeem(box, null))
  const more = (await energyOf(await giving.redeem(box, GAS_SUN))) - usual
  // The EVM of the simulator charges 2,600 for the first use of an account, and Tron nothing.
  expect(more - 2_600).toBeLessThan(35_000)
  expect(more).toBeGreaterThan(25_000)
})
