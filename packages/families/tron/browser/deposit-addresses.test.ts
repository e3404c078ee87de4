/** Tests that a user of Tron computes the deposit address that the HTLC has, reads what lies there, and takes it out alone. */

import type { DepositSide } from '@tandem/chain-kit/browser/family.ts'
import { tetherTron } from '@tandem/evm/contract/artifacts/tether-tron.ts'
import { tronDepositAccount } from '@tandem/evm/contract/artifacts/tron-deposit-account.ts'
import { computeDepositAddress } from '@tandem/evm/contract/htlc-order.fixture.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTronFixture, type TestParty, type TronFixture } from '../server/tron.fixture.ts'
import { toEvmAddress } from '../terms/address.ts'
import { rows } from '../terms/registry.ts'
import { family } from './index.ts'
import type { TronWallet } from './wallet.ts'

let fixture: TronFixture
beforeAll(async () => {
  fixture = await createTronFixture()
})
afterAll(() => fixture.close())

const { depositAddresses: addresses } = family
if (addresses === undefined) throw new Error('the family has no deposit addresses')

function sideOf(): DepositSide {
  const { chain, user, solver, assets } = fixture
  const asset = assets.find(({ id }) => id === 'tron_localnet:usdt')
  if (asset === undefined) throw new Error('the fixture has no USDT')
  const secretHash = hashSecret(createSecret())
  const terms = { asset: asset.id, initiator: user.address, redeemer: solver.address, timelock: 600n, amount: 1_000n, secretHash }
  return { chain, asset, deployment: asset.deployment, terms, deadline: 2n ** 40n }
}

function walletOf(party: TestParty): TronWallet {
  return {
    families: ['tron'],
    address: async () => party.address,
    chainId: async () => fixture.local.chainId,
    async send({ to, data, feeLimitSun }) {
      const hash = await fixture.sendAs(party, { to, data: data as Hex, gasLimit: feeLimitSun })
      return { hash, mined: async () => undefined }
    },
    signTypedData: () => Promise.reject(new Error('nothing is signed')),
  }
}

const node = () => ({ url: fixture.local.url, fetch })

async function pay(side: DepositSide, amount: bigint): Promise<void> {
  const args = [toEvmAddress(addresses?.addressOf(side) ?? ''), amount] as const
  const data = encodeFunctionData({ abi: tetherTron.abi, functionName: 'transfer', args })
  await fixture.sendAs(fixture.solver, { to: String(side.deployment.token), data })
  await fixture.local.mine()
}

it('computes the address that the service tells, in the form of Tron', async () => {
  const side = sideOf()
  const client = fixture.connect()
  await client.verifyNode()
  expect(addresses.addressOf(side)).toBe(client.prefund?.addressOf?.({ terms: side.terms, deadline: side.deadline }))
  expect(addresses.addressOf(side)).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/)
  await client.close()
})

it('hashes the prefix of Tron’s virtual machine on real networks', () => {
  const side = sideOf()
  const [{ familyData } = { familyData: {} }] = rows.mainnet.chains
  const { initiator, redeemer, timelock, amount, secretHash } = side.terms
  const order = {
    initiator: toEvmAddress(initiator),
    redeemer: toEvmAddress(redeemer),
    timelock,
    amount,
    secretHash: `0x${secretHash}` as const,
  }
  const deposit = { chainId: 31339, order: { ...order, secret: '0x' as const }, deadline: side.deadline }
  const expected = computeDepositAddress(toEvmAddress(String(side.deployment.htlc)), deposit, {
    prefix: '0x41',
    accountCode: tronDepositAccount.bytecode,
  })
  const real = addresses.addressOf({ ...side, chain: { ...side.chain, familyData } as DepositSide['chain'] })
  expect(toEvmAddress(real)).toBe(expected.toLowerCase())
  expect(real).not.toBe(addresses.addressOf(side))
})

it('reads a deposit; anybody locks it, and what is left goes back', async () => {
  const side = sideOf()
  await pay(side, side.terms.amount + 7n)
  expect(await addresses.amountAt(side, node())).toBe(side.terms.amount + 7n)
  await addresses.initiate(side, { wallet: walletOf(fixture.solver), node: null })
  await fixture.local.mine()
  expect(await addresses.amountAt(side, node())).toBe(7n)
  await addresses.giveBack(side, { wallet: walletOf(fixture.solver), node: null })
  await fixture.local.mine()
  expect(await addresses.amountAt(side, node())).toBe(0n)
})

it('lets the initiator alone take a deposit out before the deadline', async () => {
  const side = sideOf()
  await pay(side, side.terms.amount)
  await addresses.giveBack(side, { wallet: walletOf(fixture.solver), node: null })
  await fixture.local.mine()
  expect(await addresses.amountAt(side, node())).toBe(side.terms.amount)
  await addresses.giveBack(side, { wallet: walletOf(fixture.user), node: null })
  await fixture.local.mine()
  expect(await addresses.amountAt(side, node())).toBe(0n)
})
