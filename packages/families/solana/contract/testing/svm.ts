// Runs the program on a real SVM, with funded parties, a mint, and token accounts.
import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  type Instruction,
  type KeyPairSigner,
  lamports,
  none,
  pipe,
  type SignatureBytes,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  some,
  type Transaction,
} from '@solana/kit'
import { AccountState, getMintEncoder, getTokenEncoder } from '@solana-program/token'
import { Clock, FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from 'litesvm'
import { htlcProgram } from '../artifacts/htlc.ts'
import { tokenProgram } from '../client/programs.ts'

export interface Outcome {
  /** The value is the name of our error or the runtime's text, or null if the transaction succeeded. */
  readonly error: string | null
  readonly computeUnits: number
  readonly meta: TransactionMetadata
}

const committedProgram: Buffer = Buffer.from(htlcProgram.base64, 'base64')

const startSlot = 1_000n
const startTime = 1_800_000_000n
const airdrop = 1_000_000_000_000n

export type Svm = Awaited<ReturnType<typeof createSvm>>

const partyNames = ['initiator', 'redeemer', 'funder', 'rentPayer', 'relayer', 'stranger'] as const
type Party = (typeof partyNames)[number]

const knownKeys = new Map<string, Promise<KeyPairSigner>>()

export function keyOf(name: string): Promise<KeyPairSigner> {
  const known = knownKeys.get(name)
  if (known !== undefined) return known
  const made = makeKey(createHash('sha256').update(name).digest())
  knownKeys.set(name, made)
  return made
}

/** Node's own crypto signs in a tenth of the time that web crypto takes. */
const privateKeys = new Map<Address, KeyObject>()
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

async function makeKey(seed: Buffer): Promise<KeyPairSigner> {
  const key = await createKeyPairSignerFromPrivateKeyBytes(Uint8Array.from(seed))
  privateKeys.set(key.address, createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' }))
  return key
}

export function signMessage(address: Address, message: Uint8Array): SignatureBytes {
  const key = privateKeys.get(address)
  if (key === undefined) throw new Error(`no private key for ${address}`)
  return Uint8Array.from(sign(null, message, key)) as SignatureBytes
}

function addSignatures(transaction: Transaction, signers: readonly KeyPairSigner[]): Transaction {
  const message = Uint8Array.from(transaction.messageBytes)
  const added = signers.map(({ address }) => [address, signMessage(address, message)] as const)
  return { ...transaction, signatures: { ...transaction.signatures, ...Object.fromEntries(added) } }
}

export async function createSvm(programBytes: Uint8Array = committedProgram) {
  const entries = await Promise.all(partyNames.map(async (name) => [name, await keyOf(name)] as const))
  const keys = Object.fromEntries(entries) as Record<Party, KeyPairSigner>
  const program = (await keyOf('program')).address
  const svm = new LiteSVM()
  svm.addProgram(program, programBytes)
  for (const { address } of Object.values(keys)) svm.airdrop(address, lamports(airdrop))

  let [slot, time] = [startSlot, startTime]
  const setClock = () => svm.setClock(new Clock(slot, 0n, 0n, 0n, time))
  setClock()

  const signedBy = (instructions: readonly Instruction[], signers: readonly KeyPairSigner[], payer: Address): Transaction => {
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayer(payer, empty),
      (unlimited) => setTransactionMessageLifetimeUsingBlockhash(lifetime(svm.latestBlockhash()), unlimited),
      (bare) => appendTransactionMessageInstructions(instructions, bare),
    )
    return addSignatures(compileTransaction(message), signers)
  }

  return {
    svm,
    program,
    keys,
    clock: () => ({ slot, time }),
    moveTo(to: { readonly slot?: bigint; readonly time?: bigint }): void {
      slot = to.slot ?? slot
      time = to.time ?? time
      setClock()
    },
    signedBy,
    submit(transaction: Transaction): Outcome {
      const result = svm.sendTransaction(transaction)
      const failed = result instanceof FailedTransactionMetadata
      const meta = failed ? result.meta() : result
      return {
        error: failed ? errorName(String(result.err())) : null,
        computeUnits: Number(meta.computeUnitsConsumed()),
        meta,
      }
    },
    /** The relayer pays the fee and signs beside the `signers`. Every transaction has its own blockhash. */
    async send(instructions: readonly Instruction[], signers: readonly KeyPairSigner[] = [], payer = keys.relayer): Promise<Outcome> {
      const outcome = this.submit(signedBy(instructions, [payer, ...signers], payer.address))
      svm.expireBlockhash()
      return outcome
    },
    balance: (address: Address): bigint => svm.getBalance(address) ?? 0n,
    tokens(address: Address): bigint {
      const account = svm.getAccount(address)
      return account.exists && account.data.length === tokenAccountSize ? Buffer.from(account.data).readBigUInt64LE(64) : 0n
    },
    data(address: Address): Uint8Array | null {
      const account = svm.getAccount(address)
      return account.exists && account.lamports > 0n ? Uint8Array.from(account.data) : null
    },
    owner(address: Address): Address | null {
      const account = svm.getAccount(address)
      return account.exists && account.lamports > 0n ? account.programAddress : null
    },
    rent: (size: number): bigint => svm.minimumBalanceForRentExemption(BigInt(size)),
    putAccount(address: Address, owner: Address, data: Uint8Array, balance?: bigint): void {
      const space = BigInt(data.length)
      const held = lamports(balance ?? svm.minimumBalanceForRentExemption(space))
      svm.setAccount({ address, data, executable: false, lamports: held, programAddress: owner, space })
    },
    putMint(mint: Address, owner = tokenProgram): void {
      const authority = some(keys.stranger.address)
      const data = getMintEncoder().encode({
        mintAuthority: authority,
        supply: 10n ** 15n,
        decimals: 6,
        isInitialized: true,
        freezeAuthority: authority,
      })
      this.putAccount(mint, owner, Uint8Array.from(data))
    },
    putTokens(address: Address, mint: Address, owner: Address, amount: bigint, state = AccountState.Initialized): void {
      const data = getTokenEncoder().encode({
        mint,
        owner,
        amount,
        delegate: none(),
        state,
        isNative: none(),
        delegatedAmount: 0n,
        closeAuthority: none(),
      })
      this.putAccount(address, tokenProgram, Uint8Array.from(data))
    },
  }
}

const tokenAccountSize = 165

function lifetime(blockhash: Blockhash) {
  return { blockhash, lastValidBlockHeight: 2n ** 63n }
}

function errorName(text: string): string {
  const custom = /InstructionErrorCustom \{ code: (\d+)/.exec(text)?.[1]
  if (custom === undefined) return /error: (\w+) \}/.exec(text)?.[1] ?? text
  return htlcProgram.errors.find(({ code }) => code === Number(custom))?.name ?? `code ${custom}`
}
