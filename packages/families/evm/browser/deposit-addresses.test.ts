/** Tests that a user computes the deposit address that the HTLC has, reads what lies there, and takes it out alone. */

import type { DepositSide } from '@tandem/chain-kit/browser/family.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { type Address, createWalletClient, encodeFunctionData, http } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testToken } from '../contract/artifacts/test-token.ts'
import { createEvmFixture, type EvmFixture, type TestParty } from '../server/evm.fixture.ts'
import { family } from './index.ts'
import { viemWallet } from './wallet.ts'

let fixture: EvmFixture
beforeAll(async () => {
  fixture = await createEvmFixture()
})
afterAll(() => fixture.close())

const { depositAddresses: addresses } = family
if (addresses === undefined) throw new Error('the family has no deposit addresses')

function sideOf(symbol: 'eth' | 'wbtc', more: Partial<DepositSide['terms']> = {}): DepositSide {
  const { chain, user, solver } = fixture
  const asset = fixture.assets.find(({ id }) => id === `${chain.id}:${symbol}`)
  if (asset === undefined) throw new Error(`the fixture has no ${symbol}`)
  const terms = {
    asset: asset.id as AssetId,
    initiator: user.address,
    redeemer: solver.address,
    timelock: 600n,
    amount: 1_000n,
    secretHash: hashSecret(createSecret()),
    ...more,
  }
  return { chain, asset, deployment: asset.deployment, terms, deadline: 2n ** 40n }
}

const by = ({ account }: TestParty) => ({
  wallet: viemWallet(createWalletClient({ account, transport: http(fixture.local.rpcUrl) })),
  node: null,
})
const node = () => ({ url: fixture.local.rpcUrl, fetch })

async function pay(side: DepositSide, amount: bigint): Promise<void> {
  const to = addresses?.addressOf(side) as Address
  const { token } = side.deployment
  const data = encodeFunctionData({ abi: testToken.abi, functionName: 'transfer', args: [to, amount] })
  await fixture.sendAs(fixture.solver, token === null ? { to, value: amount } : { to: token as Address, data })
  await fixture.mine()
}

describe.each(['eth', 'wbtc'] as const)('a deposit of %s', (symbol) => {
  it('has the address that the service tells, whatever the case of the accounts', async () => {
    const side = sideOf(symbol)
    const client = fixture.connect()
    await client.verifyNode()
    const told = client.prefund?.addressOf?.({ terms: side.terms, deadline: side.deadline })
    expect(addresses.addressOf(side)).toBe(told)
    const shouting = { ...side.terms, initiator: `0x${side.terms.initiator.slice(2).toUpperCase()}` }
    expect(addresses.addressOf({ ...side, terms: shouting })).toBe(told)
    expect(addresses.addressOf({ ...side, deadline: side.deadline + 1n })).not.toBe(told)
    await client.close()
  })

  it('is read, locked by anybody, and what is left goes back', async () => {
    const side = sideOf(symbol)
    await pay(side, side.terms.amount)
    expect(await addresses.amountAt(side, node())).toBe(side.terms.amount)
    const client = fixture.connect()
    const before = await client.balance(side.asset.id, String(side.deployment.htlc))
    await addresses.initiate(side, by(fixture.solver))
    await fixture.mine()
    expect(await client.balance(side.asset.id, String(side.deployment.htlc))).toBe(before + side.terms.amount)
    await pay(side, 7n)
    await addresses.giveBack(side, by(fixture.solver))
    await fixture.mine()
    expect(await addresses.amountAt(side, node())).toBe(0n)
    await client.close()
  })

  it('is taken out by the initiator alone before the deadline, with another token that came there', async () => {
    const side = sideOf(symbol)
    const { usdc } = fixture.contracts.tokens
    const address = addresses.addressOf(side) as Address
    await pay(side, side.terms.amount)
    await fixture.sendAs(fixture.solver, {
      to: usdc,
      data: encodeFunctionData({ abi: testToken.abi, functionName: 'transfer', args: [address, 5n] }),
    })
    await fixture.mine()
    const client = fixture.connect()
    const before = await client.balance(`${fixture.chain.id}:usdc` as AssetId, fixture.user.address)
    await addresses.giveBack(side, by(fixture.user), usdc)
    await fixture.mine()
    expect(await client.balance(`${fixture.chain.id}:usdc` as AssetId, fixture.user.address)).toBe(before + 5n)
    if (symbol === 'wbtc') {
      await addresses.giveBack(side, by(fixture.user))
      await fixture.mine()
    }
    expect(await addresses.amountAt(side, node())).toBe(0n)
    await client.close()
  })
})
