// These tests use the chain of the local stack: program, faucet, and a user's wallet that funds orders of SOL and of tokens.
import { createHash, randomBytes } from 'node:crypto'
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import type { LocalChainJson } from '@tandem/chain-kit/local/local-chain.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { htlcProgram } from '../contract/artifacts/htlc.ts'
import { type OrderTerms, orderAddress } from '../contract/client/addresses.ts'
import { decodeOrderAccount } from '../contract/client/decode.ts'
import { initiateSol, initiateToken, redeemSol, redeemToken, refundSol, refundToken } from '../contract/client/instructions.ts'
import { decodeProgram, decodeProgramData } from '../server/deploy/loader.ts'
import { solanaLocal } from './local.ts'
import type { SolanaWallet } from './wallet.ts'

const chain = localChains.find(({ id }) => id === 'solana_localnet')
if (chain === undefined) throw new Error('the registry has no solana_localnet')
const assets = new Map(localAssets.map((asset) => [asset.id, asset]))
const randomKey = () => `0x${randomBytes(32).toString('hex')}` as const

const local = opened(() => solanaLocal.start(chain, { faucetKey: randomKey(), mining: 'instant' }))
let rpc: ReturnType<typeof createSolanaRpc>
let [user, solver]: SolanaWallet[] = []
beforeAll(async () => {
  rpc = createSolanaRpc(String(local.details.rpc_url))
  const json: LocalChainJson = {
    family: 'solana',
    network: chain.reference,
    ...local.details,
    assets: Object.fromEntries(
      Object.entries(local.deployments).map(([id, { htlc, token }]) => [
        id,
        { ...(htlc !== null && { htlc }), ...(token !== null && { token }) },
      ]),
    ),
  }
  user = solanaLocal.openWallet(json, randomKey())
  solver = solanaLocal.openWallet(json, randomKey())
})

function wallets(): readonly [user: SolanaWallet, solver: SolanaWallet] {
  if (user === undefined || solver === undefined) throw new Error('the chain did not start')
  return [user, solver]
}

function assetOf(id: string): Asset {
  const asset = assets.get(`solana_localnet:${id}`)
  if (asset === undefined) throw new Error(`no asset ${id}`)
  return asset
}

const deployment = (id: string) => local.deployments[`solana_localnet:${id}`]
const program = () => address(deployment('sol')?.htlc ?? '')
const tokensOf = async (mint: Address, owner: string) =>
  (await findAssociatedTokenPda({ mint, owner: address(owner), tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]

/** The service gives transactions in this form: base64, to be signed by the payer. */
async function unsigned(payer: string, ...instructions: readonly Instruction[]): Promise<string> {
  const { value } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(address(payer), empty),
    (unlimited) => setTransactionMessageLifetimeUsingBlockhash(value, unlimited),
    (bare) => appendTransactionMessageInstructions(instructions, bare),
  )
  return getBase64EncodedWireTransaction(compileTransaction(message))
}

function newOrder(amount: bigint, mint: Address | null) {
  const [initiator, redeemer] = wallets().map((wallet) => address(wallet.address)) as [Address, Address]
  const secret = Uint8Array.from(randomBytes(32))
  const secretHash = Uint8Array.from(createHash('sha256').update(secret).digest())
  const terms: OrderTerms = { initiator, redeemer, secretHash, amount, timelock: 450n, mint }
  const initiation = { funder: initiator, rentPayer: initiator, initiateBefore: BigInt(Math.floor(Date.now() / 1_000) + 3_600) }
  return { secret, terms, order: orderAddress(program(), terms).address, initiation }
}

const stateOf = async (order: Address) => {
  const { value } = await rpc.getAccountInfo(order, { encoding: 'base64', commitment: 'confirmed' }).send()
  return value && decodeOrderAccount(Uint8Array.from(Buffer.from(value.data[0], 'base64')))
}

describe('the local chain', () => {
  it('serves the cluster that the registry names, and our program, which nobody can change', async () => {
    expect(`solana:${await rpc.getGenesisHash().send()}`).toBe(chain.reference)
    const account = await rpc.getAccountInfo(program(), { encoding: 'base64' }).send()
    expect(account.value?.executable).toBe(true)
    const data = decodeProgram(Buffer.from(account.value?.data[0] ?? '', 'base64'))
    const stored = await rpc.getAccountInfo(data ?? program(), { encoding: 'base64' }).send()
    const { authority, code } = decodeProgramData(Buffer.from(stored.value?.data[0] ?? '', 'base64')) ?? {}
    expect(authority).toBeNull()
    expect(
      createHash('sha256')
        .update(code ?? '')
        .digest('hex'),
    ).toBe(htlcProgram.sha256)
  })

  it.each(['sol', 'usdc', 'cbbtc'])('pays %s from the faucet, and the wallet sees it', async (id) => {
    const [wallet] = wallets()
    const before = await wallet.balance(`solana_localnet:${id}`)
    const signature = await local.fund(assetOf(id), wallet.address, 5_000_000_000n)
    expect(await wallet.balance(`solana_localnet:${id}`)).toBe(before + 5_000_000_000n)
    expect((await rpc.getSignatureStatuses([signature as never]).send()).value[0]?.err).toBeNull()
  })

  it('refuses to pay what is not an address', async () => {
    await expect(local.fund(assetOf('sol'), '0x00', 1n)).rejects.toMatchObject({ code: 'invalid_address' })
  })

  it('runs an order of SOL: the wallet funds it, the redeemer shows the secret', async () => {
    const [wallet, redeemer] = wallets()
    await local.fund(assetOf('sol'), redeemer.address, 1_000_000_000n)
    const { order, terms, secret, initiation } = newOrder(1_000_000_000n, null)
    const versioned_tx = await unsigned(wallet.address, initiateSol(program(), { ...terms, mint: null }, initiation))
    await wallet.fund({ versioned_tx })
    expect(await stateOf(order)).toMatchObject({ status: 'open', amount: 1_000_000_000n })
    const before = await redeemer.balance('solana_localnet:sol')
    await redeemer.send(await redeemer.sign(await unsigned(redeemer.address, redeemSol(program(), order, terms.redeemer, secret))))
    expect(await redeemer.balance('solana_localnet:sol')).toBe(before + 1_000_000_000n - 5_000n)
    expect(await stateOf(order)).toMatchObject({ status: 'redeemed', secret })
  })

  it('refunds an order of tokens after its timelock, which need not be waited for', async () => {
    const [wallet] = wallets()
    const mint = address(deployment('usdc')?.token ?? '')
    await local.fund(assetOf('usdc'), wallet.address, 7_000_000n)
    const before = await wallet.balance('solana_localnet:usdc')
    const { order, terms, initiation } = newOrder(7_000_000n, mint)
    const funderTokens = await tokensOf(mint, wallet.address)
    const versioned_tx = await unsigned(wallet.address, initiateToken(program(), { ...terms, mint }, { ...initiation, funderTokens }))
    await wallet.fund({ versioned_tx })
    expect(await wallet.balance('solana_localnet:usdc')).toBe(before - 7_000_000n)
    const refund = async () => wallet.send(await wallet.sign(await unsigned(wallet.address, refundToken(program(), order, funderTokens))))
    await expect(refund()).rejects.toThrow('Transaction simulation failed')
    await wallet.passTime(450)
    await refund()
    expect(await wallet.balance('solana_localnet:usdc')).toBe(before)
    expect(await stateOf(order)).toMatchObject({ status: 'refunded' })
  })

  it('lets another pay the fee: the wallet signs its part of a gasless initiation', async () => {
    const [wallet, payer] = wallets()
    const mint = address(deployment('cbbtc')?.token ?? '')
    await local.fund(assetOf('sol'), payer.address, 1_000_000_000n)
    await local.fund(assetOf('cbbtc'), wallet.address, 10_000n)
    await local.fund(assetOf('cbbtc'), payer.address, 10_000n)
    const { order, terms, secret, initiation } = newOrder(10_000n, mint)
    const funderTokens = await tokensOf(mint, wallet.address)
    const initiate = initiateToken(program(), { ...terms, mint }, { ...initiation, rentPayer: address(payer.address), funderTokens })
    const sol = await wallet.balance('solana_localnet:sol')
    const signed = await wallet.signInitiation({ versioned_tx_gasless: await unsigned(payer.address, initiate) })
    await payer.send(await payer.sign(signed))
    expect(await wallet.balance('solana_localnet:sol')).toBe(sol)
    const redeem = redeemToken(program(), order, await tokensOf(mint, payer.address), secret)
    const before = await payer.balance('solana_localnet:cbbtc')
    await payer.send(await payer.sign(await unsigned(payer.address, redeem)))
    expect(await payer.balance('solana_localnet:cbbtc')).toBe(before + 10_000n)
  })

  it('undoes an initiation in a fork: the order is open again only where it was mined again', async () => {
    const [wallet] = wallets()
    const { order, terms, initiation } = newOrder(500_000_000n, null)
    local.control.setMining('manual')
    try {
      const versioned_tx = await unsigned(wallet.address, initiateSol(program(), { ...terms, mint: null }, initiation))
      const funding = wallet.fund({ versioned_tx })
      while (local.control.node.ledger.account(order, 'confirmed') === null) {
        local.control.mine()
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      await funding
      const first = await stateOf(order)
      local.control.faults.reorg(2)
      local.control.mine()
      const second = await stateOf(order)
      expect(second?.initiatedSlot).toBeGreaterThan(first?.initiatedSlot ?? 0n)
    } finally {
      local.control.setMining('instant')
    }
    await wallet.passTime(450)
    await wallet.send(await wallet.sign(await unsigned(wallet.address, refundSol(program(), order, terms.initiator))))
    expect(await stateOf(order)).toMatchObject({ status: 'refunded' })
  })
})
