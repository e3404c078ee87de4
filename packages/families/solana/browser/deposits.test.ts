/** Tests what a user's wallet does with a deposit address alone, against the local chain. */
import { base58, base64 } from '@scure/base'
import { createNoopSigner } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import type { DepositSide, Node } from '@tandem/chain-kit/browser/family.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { describe, expect, it } from 'vitest'
import { mintTokens } from '../local/local-tokens.ts'
import { readHtlcState } from '../server/contract-state.ts'
import { createProviderNode } from '../server/nodes/provider-node.ts'
import { createSolanaFixture, type TestParty } from '../server/solana.fixture.ts'
import { tokenAccountOf } from '../terms/instructions.ts'
import { family } from './index.ts'
import type { SolanaWallet } from './wallet.ts'

const fixture = opened(createSolanaFixture)
const AMOUNT = 5_000_000n

const deposits = () => {
  if (family.depositAddresses === undefined) throw new Error('the family has no deposit addresses')
  return family.depositAddresses
}
const node = (): Node => ({ url: fixture.local.url, fetch })

/** The signature is sent without a check of the node, so that the program itself refuses. */
function walletOf({ address, wallet }: TestParty): SolanaWallet {
  const sign = async (_: string, __: string, transaction: Uint8Array) => base64.decode(await wallet.sign(base64.encode(transaction)))
  return {
    families: ['solana'],
    address: async () => address,
    sign,
    signAndSend: async (_, __, transaction) =>
      base58.decode(await fixture.signAndSend(base64.encode(transaction), { address, wallet } as TestParty)),
  }
}

async function sideOf(asset: AssetId, over: Partial<DepositSide['terms']> = {}): Promise<DepositSide> {
  const { deployment, ...named } = fixture.assetNamed(asset)
  const terms = {
    asset,
    initiator: fixture.user.address,
    redeemer: fixture.solver.address,
    amount: AMOUNT,
    timelock: 400n,
    secretHash: hashSecret(createSecret()),
    ...over,
  }
  return {
    chain: fixture.chain,
    asset: named,
    deployment,
    terms,
    deadline: BigInt(fixture.local.node.ledger.tip('processed').time) + 3_600n,
  }
}

async function pay(side: DepositSide, amount: bigint): Promise<void> {
  const to = deposits().addressOf(side) as TestParty['address']
  const { mint } = fixture.contracts.of(side.terms.asset)
  const source = createNoopSigner(fixture.faucet.address)
  if (mint === null) fixture.faucet.send([getTransferSolInstruction({ source, destination: to, amount })])
  else await mintTokens(fixture.faucet, mint, to, amount)
  fixture.local.mine()
}

const balance = async (side: DepositSide) => {
  const { mint } = fixture.contracts.of(side.terms.asset)
  const { user, local } = fixture
  const reader = createProviderNode(local.url, 10_000)
  return mint === null ? reader.balance(user.address) : reader.tokenBalance(tokenAccountOf(user.address, mint))
}
const stateOf = (side: DepositSide) =>
  readHtlcState(createProviderNode(fixture.local.url, 10_000), fixture.contracts.of(side.terms.asset), side.terms)
const by = (party: TestParty) => ({ wallet: walletOf(party), node: node() })

describe.each(['solana_localnet:sol', 'solana_localnet:usdc'] as const)('a deposit address of %s', (asset) => {
  it('is that of the service, and its amount is read from the node', async () => {
    const side = await sideOf(asset)
    const client = fixture.connect()
    expect(deposits().addressOf(side)).toBe(client.prefund?.addressOf?.(side))
    await client.close()
    expect(await deposits().amountAt(side, node())).toBe(0n)
    await pay(side, AMOUNT + 3n)
    expect(await deposits().amountAt(side, node())).toBe(AMOUNT + 3n)
  })

  it.each(['user', 'solver'] as const)('is locked by the wallet of the %s, without the service', async (party) => {
    const side = await sideOf(asset)
    await pay(side, AMOUNT)
    await deposits().initiate(side, by(fixture[party]))
    fixture.local.mine()
    expect([await stateOf(side), await deposits().amountAt(side, node())]).toEqual(['open', 0n])
  })

  it('is emptied by its owner alone before the deadline, and by anybody afterwards', async () => {
    const side = await sideOf(asset)
    const { user, solver, local } = fixture
    await pay(side, AMOUNT)
    const fee = asset === 'solana_localnet:sol' ? 5_000n : 0n
    await deposits().giveBack(side, by(solver))
    local.mine()
    expect(await deposits().amountAt(side, node())).toBe(AMOUNT)
    const before = await balance(side)
    await deposits().giveBack(side, by(user))
    local.mine()
    expect([await deposits().amountAt(side, node()), (await balance(side)) - before]).toEqual([0n, AMOUNT - fee])
    await pay(side, AMOUNT)
    local.passTime(9_100)
    await deposits().giveBack(side, by(solver))
    local.mine()
    expect([await deposits().amountAt(side, node()), (await balance(side)) - before]).toEqual([0n, 2n * AMOUNT - fee])
  })

  it('gives back any other token too, and creates the account of an owner who has none', async () => {
    const { solver, faucet, local, mints } = fixture
    const initiator = newOwner()
    const side = await sideOf(asset, { initiator })
    const mint = mints.cbbtc
    await mintTokens(faucet, mint, deposits().addressOf(side) as TestParty['address'], 77n)
    local.mine()
    await deposits().giveBack(side, by(solver), mint)
    local.mine()
    const reader = createProviderNode(local.url, 10_000)
    expect(await reader.tokenBalance(tokenAccountOf(initiator, mint))).toBe(77n)
    await expect(deposits().giveBack(side, by(solver), initiator)).rejects.toThrow(/no mint at/)
    await expect(deposits().giveBack(side, by(solver), newOwner())).rejects.toThrow(/no mint at/)
  })
})

function newOwner(): TestParty['address'] {
  return base58.encode(crypto.getRandomValues(new Uint8Array(32))) as TestParty['address']
}
