/** Tests redeems that give the recipient gas: what nodes see before, what the sender must hold, and that it is given once. */

import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { type Address, numberToHex, toFunctionSelector } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, it } from 'vitest'
import { rejectingAccount } from '../../contract/artifacts/rejecting-account.ts'
import { openEvmClient } from '../client.fixture.ts'
import { createEvmClient } from '../index.ts'
import type { EvmNode, NodeCall } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import { readAttempt } from './transaction.ts'

const { fixture, client, node, termsFor, phaseOf } = await openEvmClient()
const outbox = openedForEach(async () => createMemoryOutbox(fixture.solver.signer))
const GAS = 10n ** 15n
const WITH_GAS = toFunctionSelector('redeemOfferingCoinForGas(address,address,uint256,uint256,bytes32)')

let secret: string
const newRecipient = () => privateKeyToAddress(generatePrivateKey()).toLowerCase() as Address

async function initiated(redeemer: Address, symbol = 'wbtc'): Promise<HtlcTerms> {
  secret = createSecret()
  const terms = termsFor(secret, symbol, { redeemer })
  await client.initiate(terms, outbox.open(`i ${secret}`))
  await fixture.mine()
  return terms
}

function connect(changes: Partial<EvmNode>) {
  return createEvmClient(fixture.chain, { assets: fixture.assets, endpoints: { rpc: [fixture.local.rpcUrl] } }, { ...node, ...changes })
}

const redeem = (terms: HtlcTerms, gas: bigint | null, on = client, box = outbox) =>
  on.redeem(terms, { deposits: [], to: null, secret, ...(gas !== null && { gas }) }, box.open('r'))

it('tries the payout with the same gas before any node sees the secret', async () => {
  const terms = await initiated(newRecipient())
  const calls: NodeCall[] = []
  const call: EvmNode['call'] = (asked) => {
    calls.push(asked)
    return node.call(asked)
  }
  await redeem(terms, GAS, connect({ call }))
  const trial = calls.find(({ overrides }) => overrides !== undefined)
  expect(trial).toMatchObject({ from: fixture.solver.address, value: GAS })
  expect(trial?.data?.slice(0, 10)).toBe(WITH_GAS)
  expect(calls.filter(({ data }) => data?.includes(secret))).toEqual([])
  await fixture.mine()
  expect(await phaseOf(terms)).toBe('redeemed')
})

it('pays a recipient that refuses the gas, which stays with the sender', async () => {
  const recipient = await fixture.deploy(rejectingAccount)
  const terms = await initiated(recipient)
  const before = await node.balance(fixture.solver.address)
  await redeem(terms, GAS)
  await fixture.mine()
  expect(await phaseOf(terms)).toBe('redeemed')
  expect(await client.balance(terms.asset, recipient)).toBe(terms.amount)
  expect(await node.balance(recipient)).toBe(0n)
  expect(before - (await node.balance(fixture.solver.address))).toBeLessThan(GAS)
})

it('keeps the gas of an unmined redeem when its fee is bumped, or none is asked for any more, and gives it once', async () => {
  const recipient = newRecipient()
  const terms = await initiated(recipient)
  const first = await redeem(terms, GAS)
  expect(await redeem(terms, null)).toBe(first)
  outbox.passSeconds(fixture.chain.feeBumpSeconds)
  const second = await redeem(terms, null)
  const calls = outbox.attempts('r').map((attempt) => readAttempt(attempt).call)
  expect(second).not.toBe(first)
  expect(calls).toEqual([calls[0], calls[0]])
  expect(calls[0]?.value).toBe(GAS)
  await fixture.mine(2)
  expect(await node.balance(recipient)).toBe(GAS)
  expect(await phaseOf(terms)).toBe('redeemed')
})

it('is paid without, at the same nonce, by a sender that cannot bump the fee of a redeem that gives it', async () => {
  const poor = createTestSigner(generatePrivateKey())
  const box = createMemoryOutbox(poor)
  const recipient = newRecipient()
  const terms = await initiated(recipient)
  const hold = (wei: bigint) => fixture.local.request({ method: 'hardhat_setBalance', params: [client.addressOf(poor), numberToHex(wei)] })
  await hold(10n ** 18n)
  await redeem(terms, GAS, client, box)
  box.passSeconds(fixture.chain.feeBumpSeconds)
  const { gas, fees } = readAttempt(box.attempts('r')[0] as Attempt)
  await hold(gas * fees.maxFeePerGas + GAS)
  await expect(redeem(terms, GAS, client, box)).rejects.toMatchObject({ kind: 'would-fail' })
  await redeem(terms, null, client, box)
  const signed = box.attempts('r').map((attempt) => readAttempt(attempt))
  expect(signed.map(({ call }) => call.value)).toEqual([GAS, 0n])
  expect(signed[1]?.nonce).toBe(signed[0]?.nonce)
  await fixture.mine()
  expect(await node.balance(recipient)).toBe(0n)
  expect(await client.balance(terms.asset, recipient)).toBe(terms.amount)
})

it('pays without the gas after a redeem that gives it has reverted', async () => {
  const recipient = newRecipient()
  const terms = await initiated(recipient)
  const htlc = fixture.assets.find(({ id }) => id === terms.asset)?.deployment.htlc as Address
  await redeem(terms, GAS)
  const { call } = readAttempt(outbox.attempts('r')[0] as Attempt)
  const code = await fixture.local.request({ method: 'eth_getCode', params: [htlc, 'latest'] })
  await fixture.local.request({ method: 'hardhat_setCode', params: [htlc, '0xfe'] })
  await fixture.mine()
  await fixture.local.request({ method: 'hardhat_setCode', params: [htlc, code] })
  await redeem(terms, null)
  expect(outbox.attempts('r').map((attempt) => readAttempt(attempt).call.value)).toEqual([call.value, 0n])
  await fixture.mine()
  expect(await node.balance(recipient)).toBe(0n)
  expect(await client.balance(terms.asset, recipient)).toBe(terms.amount)
})

it('is not signed by an account that cannot also pay the gas, which then pays without it', async () => {
  const poor = createTestSigner(generatePrivateKey())
  const box = createMemoryOutbox(poor)
  const terms = await initiated(newRecipient())
  await fixture.local.request({ method: 'hardhat_setBalance', params: [client.addressOf(poor), numberToHex(10n ** 17n)] })
  const gas = 10n ** 17n
  // Some nodes do not look at the balance of the sender in a call.
  const lenient = connect({ call: ({ from: _, ...call }) => node.call({ ...call, from: fixture.solver.address }) })
  for (const on of [client, lenient]) await expect(redeem(terms, gas, on, box)).rejects.toMatchObject({ kind: 'would-fail' })
  expect(box.attempts('r')).toEqual([])
  await redeem(terms, null, client, box)
  await fixture.mine()
  expect(await phaseOf(terms)).toBe('redeemed')
})

it('is possible where the nodes support no state overrides', async () => {
  const recipient = newRecipient()
  const terms = await initiated(recipient)
  const refusing = connect({
    call: (call) => (call.overrides === undefined ? node.call(call) : Promise.reject(new NodeRefusal(-32602, 'too many arguments', null))),
  })
  await redeem(terms, GAS, refusing)
  await fixture.mine()
  expect(await node.balance(recipient)).toBe(GAS)
})

it('is refused with the coin itself, and not offered where only the coin can be swapped', async () => {
  const terms = await initiated(newRecipient(), 'eth')
  await expect(redeem(terms, GAS)).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('is itself the coin') })
  expect(outbox.attempts('r')).toEqual([])
  expect(client.payoutGas).toEqual({ decimals: 18, minAmount: 0n })
  const ofCoin = fixture.connect({ assets: fixture.assets.filter(({ id }) => id === terms.asset) })
  expect(ofCoin.payoutGas).toBeUndefined()
  await ofCoin.close()
})
