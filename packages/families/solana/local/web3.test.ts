// These tests use the local chain through unmodified @solana/web3.js, which many wallets use.
import { createHash, randomBytes } from 'node:crypto'
import { address } from '@solana/kit'
import {
  AddressLookupTableProgram,
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SendTransactionError,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
  TransactionExpiredBlockheightExceededError,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import type { LocalChain } from '@tandem/chain-kit/local/local-chain.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { orderAddress } from '../contract/client/addresses.ts'
import { type HtlcInstruction, initiateSol, redeemSol } from '../contract/client/instructions.ts'
import { solanaLocal } from './local.ts'
import type { SolanaChain } from './solana-chain.ts'

let local: LocalChain<SolanaChain>
let connection: Connection
const payer = Keypair.generate()

beforeAll(async () => {
  const chain = localChains.find(({ id }) => id === 'solana_localnet')
  if (chain === undefined) throw new Error('the registry has no solana_localnet')
  local = await solanaLocal.start(chain, { faucetKey: `0x${randomBytes(32).toString('hex')}`, mining: 'instant' })
  // Without a websocket URL, web3.js connects to the next port.
  connection = new Connection(String(local.details.rpc_url), 'confirmed')
  await airdrop(payer.publicKey, 100)
})
afterAll(async () => {
  await Promise.all(unsubscribe.map((end) => end()))
  // web3.js closes its websocket half a second after the last subscription, and would open it again if the server did.
  await new Promise((resolve) => setTimeout(resolve, 700))
  await local.close()
})

const unsubscribe: (() => Promise<void>)[] = []
/** web3.js sends subscriptions in the background, and does not report when they are active. */
const subscribed = () => vi.waitFor(() => expect(local.control.subscriptionCount()).toBe(unsubscribe.length), { timeout: 60_000 })

async function airdrop(to: PublicKey, sol: number): Promise<void> {
  const signature = await connection.requestAirdrop(to, sol * LAMPORTS_PER_SOL)
  await connection.confirmTransaction({ signature, ...(await connection.getLatestBlockhash()) })
}

const transfer = (to: PublicKey, lamports: number, from = payer.publicKey) =>
  SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports })

/** In kit, the roles are 0 read, 1 write, 2 sign, 3 sign and write. */
function instruction({ programAddress, accounts, data }: HtlcInstruction): TransactionInstruction {
  const keys = accounts.map(({ address: key, role }) => ({ pubkey: new PublicKey(key), isSigner: role >= 2, isWritable: role % 2 === 1 }))
  return new TransactionInstruction({ programId: new PublicKey(programAddress), keys, data: Buffer.from(data) })
}

describe('web3.js', () => {
  it('sends legacy transactions and confirms them by websocket', async () => {
    const to = Keypair.generate().publicKey
    const signature = await sendAndConfirmTransaction(connection, new Transaction().add(transfer(to, LAMPORTS_PER_SOL)), [payer])
    expect(await connection.getBalance(to)).toBe(LAMPORTS_PER_SOL)
    const parsed = await connection.getParsedTransaction(signature)
    expect(parsed).toMatchObject({ meta: { err: null, fee: 5_000 }, slot: expect.any(Number) })
    expect(parsed?.transaction.message.accountKeys[0]?.pubkey).toEqual(payer.publicKey)
    expect((await connection.getTransaction(signature))?.transaction.message.header.numRequiredSignatures).toBe(1)
    expect((await connection.getSignatureStatus(signature)).value?.err).toBeNull()
    expect((await connection.getSignaturesForAddress(to))[0]?.signature).toBe(signature)
    const block = await connection.getBlock(parsed?.slot ?? 0)
    expect(block?.transactions.map(({ transaction }) => transaction.signatures[0])).toContain(signature)
  })

  it('shows the logs of a transaction that would fail', async () => {
    const transaction = new Transaction().add(transfer(Keypair.generate().publicKey, 1_000 * LAMPORTS_PER_SOL))
    const error = await sendAndConfirmTransaction(connection, transaction, [payer]).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SendTransactionError)
    expect((error as SendTransactionError).logs?.join()).toContain('insufficient lamports')
  })

  it('runs an order of our program: initiate and redeem', async () => {
    const program = address(local.deployments['solana_localnet:sol']?.htlc ?? '')
    const redeemer = Keypair.generate()
    const secret = Uint8Array.from(randomBytes(32))
    const initiator = address(payer.publicKey.toBase58())
    const terms = {
      initiator,
      redeemer: address(redeemer.publicKey.toBase58()),
      secretHash: Uint8Array.from(createHash('sha256').update(secret).digest()),
      amount: 2_000_000_000n,
      timelock: 450n,
      mint: null,
    }
    const initiateBefore = BigInt((await connection.getBlockTime(await connection.getSlot())) ?? 0) + 3_600n
    const initiate = initiateSol(program, terms, { funder: initiator, rentPayer: initiator, initiateBefore })
    const seen = new Promise<number>((resolve) => {
      const id = connection.onProgramAccountChange(new PublicKey(program), ({ accountInfo }) => resolve(accountInfo.data.length))
      unsubscribe.push(() => connection.removeProgramAccountChangeListener(id))
    })
    await subscribed()
    await sendAndConfirmTransaction(connection, new Transaction().add(instruction(initiate)), [payer])
    expect(await seen).toBe(168)
    const redeem = redeemSol(program, orderAddress(program, terms).address, terms.redeemer, secret)
    await sendAndConfirmTransaction(connection, new Transaction().add(instruction(redeem)), [payer])
    expect(await connection.getBalance(redeemer.publicKey)).toBe(2_000_000_000)
  })

  it('uses an address lookup table, and shows the accounts that it loaded', async () => {
    const to = Keypair.generate().publicKey
    const recentSlot = await connection.getSlot('finalized')
    const [create, table] = AddressLookupTableProgram.createLookupTable({ authority: payer.publicKey, payer: payer.publicKey, recentSlot })
    const extend = AddressLookupTableProgram.extendLookupTable({
      payer: payer.publicKey,
      authority: payer.publicKey,
      lookupTable: table,
      addresses: [to],
    })
    await sendAndConfirmTransaction(connection, new Transaction().add(create, extend), [payer])
    const { value: lookupTable } = await connection.getAddressLookupTable(table)
    if (lookupTable === null) throw new Error('no lookup table')
    // A table can be used from the slot after its last extension on.
    await vi.waitUntil(async () => (await connection.getSlot()) > lookupTable.state.lastExtendedSlot, { timeout: 60_000 })
    const { blockhash } = await connection.getLatestBlockhash()
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions: [transfer(to, LAMPORTS_PER_SOL)],
    }).compileToV0Message([lookupTable])
    const transaction = new VersionedTransaction(message)
    transaction.sign([payer])
    const simulated = await connection.simulateTransaction(transaction)
    expect(simulated.value.err).toBeNull()
    const signature = await connection.sendTransaction(transaction)
    await connection.confirmTransaction({ signature, ...(await connection.getLatestBlockhash()) })
    expect(await connection.getBalance(to)).toBe(LAMPORTS_PER_SOL)
    const mined = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
    expect(mined?.meta?.loadedAddresses?.writable).toEqual([to])
    expect((await connection.getSignaturesForAddress(to)).map((found) => found.signature)).toEqual([signature])
  })

  it('hears of slots, roots, accounts and logs', async () => {
    const to = Keypair.generate().publicKey
    const heard = Promise.all([
      new Promise((resolve) => {
        const id = connection.onSlotChange(({ slot }) => resolve(slot))
        unsubscribe.push(() => connection.removeSlotChangeListener(id))
      }),
      new Promise((resolve) => {
        const id = connection.onRootChange(resolve)
        unsubscribe.push(() => connection.removeRootChangeListener(id))
      }),
      new Promise((resolve) => {
        const id = connection.onAccountChange(to, ({ lamports }) => resolve(lamports))
        unsubscribe.push(() => connection.removeAccountChangeListener(id))
      }),
      new Promise((resolve) => {
        const id = connection.onLogs(to, ({ signature }) => resolve(signature))
        unsubscribe.push(() => connection.removeOnLogsListener(id))
      }),
    ])
    await subscribed()
    const signature = await sendAndConfirmTransaction(connection, new Transaction().add(transfer(to, LAMPORTS_PER_SOL)), [payer])
    expect(await heard).toEqual([expect.any(Number), expect.any(Number), LAMPORTS_PER_SOL, signature])
  })

  it('reads tokens as wallets do', async () => {
    const usdc = localAssets.find(({ id }) => id === 'solana_localnet:usdc')
    if (usdc === undefined) throw new Error('no usdc')
    await local.fund(usdc, payer.publicKey.toBase58(), 3_500_000n)
    const mint = new PublicKey(local.deployments[usdc.id]?.token ?? '')
    const { value } = await connection.getParsedTokenAccountsByOwner(payer.publicKey, { mint })
    expect(value[0]?.account.data.parsed.info.tokenAmount.uiAmountString).toBe('3.5')
    expect((await connection.getTokenSupply(mint)).value.decimals).toBe(6)
    expect((await connection.getParsedAccountInfo(mint)).value?.data).toMatchObject({ program: 'spl-token' })
    expect((await connection.getMultipleAccountsInfo([mint, payer.publicKey]))[0]?.data.length).toBe(82)
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280)
    expect((await connection.getEpochInfo()).absoluteSlot).toBeGreaterThan(0)
    expect((await connection.getVersion())['solana-core']).toBeDefined()
  })

  it('reports an expired blockhash', async () => {
    const to = Keypair.generate().publicKey
    const latest = await connection.getLatestBlockhash()
    const transaction = new Transaction({ ...latest, feePayer: payer.publicKey }).add(transfer(to, LAMPORTS_PER_SOL))
    transaction.sign(payer)
    // web3.js uses a blockhash for up to 30 seconds, so this must be the last test of the connection.
    local.control.passTime(200)
    await expect(connection.sendRawTransaction(transaction.serialize())).rejects.toThrow('Blockhash not found')
    const signature = await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true })
    await expect(connection.confirmTransaction({ signature, ...latest })).rejects.toThrow(TransactionExpiredBlockheightExceededError)
  })
})
