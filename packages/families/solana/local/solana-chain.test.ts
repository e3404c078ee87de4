// These tests use the local chain through unmodified @solana/kit, as the service and wallets do.
import {
  type Address,
  airdropFactory,
  appendTransactionMessageInstructions,
  type Blockhash,
  type Commitment,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  isSolanaError,
  type KeyPairSigner,
  lamports,
  pipe,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { afterEach, describe, expect, it } from 'vitest'
import { type SolanaChain, type SolanaChainOptions, startSolanaChain } from './solana-chain.ts'

let chain: SolanaChain
afterEach(() => chain.close())

const SOL = 1_000_000_000n

async function open(options: SolanaChainOptions) {
  chain = await startSolanaChain(options)
  const rpc = createSolanaRpc(chain.url)
  const rpcSubscriptions = createSolanaRpcSubscriptions(chain.webSocketUrl)
  return { rpc, rpcSubscriptions }
}

type Rpc = Awaited<ReturnType<typeof open>>['rpc']

async function signed(rpc: Rpc, payer: KeyPairSigner, instructions: readonly Instruction[], commitment: Commitment = 'processed') {
  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment }).send()
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (unlimited) => setTransactionMessageLifetimeUsingBlockhash(lifetime, unlimited),
    (bare) => appendTransactionMessageInstructions(instructions, bare),
  )
  return signTransactionMessageWithSigners(message)
}

type Signed = Awaited<ReturnType<typeof signed>>

const transfer = (source: KeyPairSigner, destination: Address, amount: bigint) => getTransferSolInstruction({ source, destination, amount })

function send(rpc: Rpc, transaction: Signed, preflightCommitment: Commitment = 'processed') {
  return rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64', preflightCommitment }).send()
}

async function preflightError(sending: Promise<unknown>): Promise<unknown> {
  const error = await sending.catch((reason: unknown) => reason)
  if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)) throw error
  return (error.cause as { readonly context?: { readonly __code: number } }).context?.__code
}

describe('instant mining', () => {
  it('airdrops, transfers and confirms by websocket, without waiting for slots', async () => {
    const { rpc, rpcSubscriptions } = await open({ mining: 'instant' })
    const [payer, payee] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()])
    await airdropFactory({ rpc, rpcSubscriptions })({
      recipientAddress: payer.address,
      lamports: lamports(2n * SOL),
      commitment: 'finalized',
    })
    const transaction = await signed(rpc, payer, [transfer(payer, payee.address, SOL)], 'finalized')
    await sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })(transaction as never, { commitment: 'finalized' })
    expect((await rpc.getBalance(payee.address, { commitment: 'finalized' }).send()).value).toBe(SOL)
    const mined = await rpc
      .getTransaction(getSignatureFromTransaction(transaction), { encoding: 'json', maxSupportedTransactionVersion: 0 })
      .send()
    expect(mined?.meta).toMatchObject({ err: null, fee: 5_000n, preBalances: [2n * SOL, 0n, 1n], postBalances: [SOL - 5_000n, SOL, 1n] })
  })
})

describe('manual mining', () => {
  async function withFunds() {
    const { rpc } = await open({ mining: 'manual' })
    const payer = await generateKeyPairSigner()
    chain.airdrop(payer.address, 10n * SOL)
    chain.mine()
    return { rpc, payer, payee: (await generateKeyPairSigner()).address }
  }

  it('shows a transaction at each commitment only when enough blocks follow', async () => {
    const { rpc, payer, payee } = await withFunds()
    const signature = await send(rpc, await signed(rpc, payer, [transfer(payer, payee, SOL)]))
    const levels = async () =>
      Promise.all(
        (['processed', 'confirmed', 'finalized'] as const).map(
          async (commitment) => (await rpc.getBalance(payee, { commitment }).send()).value === SOL,
        ),
      )
    const status = async () => (await rpc.getSignatureStatuses([signature]).send()).value[0]
    expect([await levels(), await status()]).toEqual([[false, false, false], null])
    chain.mine()
    expect(await levels()).toEqual([true, false, false])
    expect(await status()).toMatchObject({ confirmations: 0n, confirmationStatus: 'processed' })
    expect(
      await rpc.getTransaction(signature, { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }).send(),
    ).toBeNull()
    chain.mine()
    expect(await levels()).toEqual([true, true, false])
    expect(await status()).toMatchObject({ confirmations: 1n, confirmationStatus: 'confirmed' })
    chain.mine(29)
    expect(await levels()).toEqual([true, true, false])
    chain.mine()
    expect(await levels()).toEqual([true, true, true])
    expect(await status()).toMatchObject({ confirmations: null, confirmationStatus: 'finalized' })
  })

  it('forgets a blockhash after 150 blocks, and drops what waits with it', async () => {
    const { rpc, payer, payee } = await withFunds()
    const [waiting, late] = [
      await signed(rpc, payer, [transfer(payer, payee, SOL)]),
      await signed(rpc, payer, [transfer(payer, payee, 2n * SOL)]),
    ]
    const { value } = await rpc.getLatestBlockhash({ commitment: 'processed' }).send()
    chain.faults.congest(1n)
    await send(rpc, waiting)
    chain.mine(150)
    expect(await rpc.getBlockHeight({ commitment: 'processed' }).send()).toBe(value.lastValidBlockHeight)
    expect((await rpc.isBlockhashValid(value.blockhash, { commitment: 'processed' }).send()).value).toBe(true)
    chain.mine()
    expect((await rpc.isBlockhashValid(value.blockhash, { commitment: 'processed' }).send()).value).toBe(false)
    expect(await preflightError(send(rpc, late))).toBe(SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND)
    chain.faults.congest(0n)
    chain.mine()
    expect((await rpc.getBalance(payee, { commitment: 'processed' }).send()).value).toBe(0n)
  })

  it('undoes accounts and transactions in a fork, and mines or drops them again', async () => {
    const { rpc, payer, payee } = await withFunds()
    const transaction = await signed(rpc, payer, [transfer(payer, payee, SOL)])
    const signature = await send(rpc, transaction)
    chain.mine(3)
    const slot = await rpc.getSlot({ commitment: 'confirmed' }).send()
    const old = await rpc.getBlock(slot, { commitment: 'confirmed', transactionDetails: 'none', rewards: false }).send()
    chain.faults.reorg(3, { transactions: 'drop' })
    expect((await rpc.getBalance(payee, { commitment: 'processed' }).send()).value).toBe(0n)
    expect((await rpc.getBalance(payer.address, { commitment: 'processed' }).send()).value).toBe(10n * SOL)
    expect((await rpc.getSignatureStatuses([signature]).send()).value).toEqual([null])
    expect((await rpc.isBlockhashValid(old?.blockhash as Blockhash, { commitment: 'processed' }).send()).value).toBe(false)
    await send(rpc, transaction)
    chain.mine()
    const before = (await rpc.getSignatureStatuses([signature]).send()).value[0]
    chain.faults.reorg(1)
    const after = (await rpc.getSignatureStatuses([signature]).send()).value[0]
    expect(after?.slot).toBeGreaterThan(before?.slot ?? 0n)
    expect((await rpc.getBalance(payee, { commitment: 'processed' }).send()).value).toBe(SOL)
  })

  it('refuses a transaction twice, with the names of a node', async () => {
    const { rpc, payer, payee } = await withFunds()
    const transaction = await signed(rpc, payer, [transfer(payer, payee, SOL)])
    await send(rpc, transaction)
    await send(rpc, transaction)
    chain.mine()
    expect(await preflightError(send(rpc, transaction))).toBe(SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED)
    expect((await rpc.getBalance(payee, { commitment: 'processed' }).send()).value).toBe(SOL)
  })
})
