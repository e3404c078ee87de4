/** Shows how strangers initiate at our program: with every account, role, byte and address that the terms do not fix. */
import { randomBytes } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import {
  type AccountMeta,
  AccountRole,
  type Address,
  createNoopSigner,
  getAddressDecoder,
  getAddressEncoder,
  type Instruction,
  isOffCurveAddress,
  isSolanaError,
} from '@solana/kit'
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeAccount3Instruction,
  getMintToInstruction,
  getTokenSize,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import {
  type AgreedSwap,
  each,
  RefusedByChain,
  type StrangersWay,
  strangersWay,
} from '@tandem/chain-kit/testing/strangers-initiation.fixture.ts'
import fc from 'fast-check'
import { systemProgram, token2022Program, tokenProgram } from '../contract/client/programs.ts'
import { setUnitLimit } from '../local/compute-budget.ts'
import { createLocalSigner, type LocalSigner, signTransaction } from '../local/local-signer.ts'
import { mintTokens } from '../local/local-tokens.ts'
import type { HtlcContract } from '../terms/htlc.ts'
import { initiateInstruction, tokenAccountOf } from '../terms/instructions.ts'
import type { SolanaFixture } from './solana.fixture.ts'
import { depositWays } from './strangers-deposit.fixture.ts'

type Payer = 'user' | 'stranger'
type Built = { readonly programAddress: Address; readonly accounts: readonly AccountMeta[]; readonly data: Uint8Array }

const ORDER = 0
const VAULT = 1
const LAMPORTS = 1_000_000_000_000n
const TOKENS = 10n ** 12n
const DAY = 86_400n

export async function solanaWays(fixture: SolanaFixture, contract: HtlcContract): Promise<readonly StrangersWay[]> {
  const { local, user, faucet } = fixture
  const { node } = local
  const { mint } = contract
  const stranger = createLocalSigner(randomBytes(32))
  const parties = fc.constantFrom<Payer>('user', 'stranger')
  const addressOf = (party: Payer) => (party === 'user' ? user.address : stranger.address)
  await faucet.confirm(local.airdrop(stranger.address, LAMPORTS))
  if (mint !== null) await faucet.confirm(await mintTokens(faucet, mint, stranger.address, TOKENS))
  let sent = 0

  /** The transaction goes to the pool, and the runtime refuses it in the block. A different unit limit makes every transaction differ. */
  function send(instructions: readonly Instruction[], others: readonly LocalSigner[] = []): void {
    sent += 1
    const signed = [user.signer, stranger, ...others] as const
    const needed = signed.filter(({ address }) => address === user.address || instructions.some((one) => needs(one, address)))
    const [first = user.signer, ...rest] = needed
    const lifetime = { blockhash: node.ledger.tip('processed').blockhash, lastValidBlockHeight: 0 }
    try {
      node.broadcast(signTransaction([setUnitLimit(400_000 + sent), ...instructions], [first, ...rest], lifetime))
    } catch (error) {
      // No transaction can name a program that it calls as writable.
      if (isSolanaError(error)) throw new RefusedByChain(error.message)
      throw error
    }
  }

  async function built({ terms, deadline }: AgreedSwap, by: Partial<Parameters<typeof initiateInstruction>[2]> = {}): Promise<Built> {
    const initiation = { funder: user.address, rentPayer: user.address, initiateBefore: deadline, ...by }
    const { programAddress, accounts = [], data = new Uint8Array() } = initiateInstruction(contract, terms, initiation)
    return { programAddress, accounts: accounts as readonly AccountMeta[], data: Uint8Array.from(data) }
  }

  const withAccount = (instruction: Built, at: number, address: Address, role?: AccountRole): Built => ({
    ...instruction,
    accounts: instruction.accounts.map((meta, i) => (i === at ? { address, role: role ?? meta.role } : meta)),
  })

  async function otherTokens(owner: Address, of: Address): Promise<Address> {
    const account = createLocalSigner(randomBytes(32))
    const payer = createNoopSigner(faucet.address)
    const space = getTokenSize()
    const created = {
      payer,
      newAccount: createNoopSigner(account.address),
      lamports: node.svm.rent(space),
      space,
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }
    const instructions = [
      getCreateAccountInstruction(created),
      getInitializeAccount3Instruction({ account: account.address, mint: of, owner }),
      getMintToInstruction({ mint: of, token: account.address, mintAuthority: payer, amount: TOKENS }),
    ]
    await faucet.confirm(faucet.send(instructions, [account]))
    return account.address
  }

  const strangeAccounts: Readonly<Record<string, (instruction: Built) => Address>> = {
    order: ({ accounts }) => accounts[ORDER]?.address ?? systemProgram,
    second: ({ accounts }) => accounts[VAULT]?.address ?? systemProgram,
    user: () => user.address,
    stranger: () => stranger.address,
    'token program': () => tokenProgram,
    'Token-2022': () => token2022Program,
    'system program': () => systemProgram,
    'our program': ({ programAddress }) => programAddress,
    'another mint': () => fixture.mints.cbbtc,
    'a new account': () => createLocalSigner(randomBytes(32)).address,
  }
  const strange = fc.constantFrom(...Object.keys(strangeAccounts))
  const strangeAccount = (name: string, instruction: Built) => (strangeAccounts[name] ?? (() => systemProgram))(instruction)

  const common: readonly StrangersWay[] = [
    strangersWay('paid by others', {
      outcome: 'counts',
      choices: fc.record({ funder: parties, rentPayer: parties }),
      examples: [{ funder: 'stranger' as const, rentPayer: 'user' as const }],
      async initiate(swap, { funder, rentPayer }) {
        send([await built(swap, { funder: addressOf(funder), rentPayer: addressOf(rentPayer) })])
      },
    }),
    strangersWay('that may be initiated until another time', {
      outcome: 'counts',
      choices: fc.bigInt(3600n, 7n * DAY),
      async initiate(swap, seconds) {
        const { time } = node.ledger.tip('processed')
        send([await built(swap, { initiateBefore: BigInt(time) + seconds })])
      },
    }),
    strangersWay('with roles that it does not need', {
      outcome: 'counts',
      choices: fc.array(fc.nat(8), { minLength: 1, maxLength: 4 }),
      async initiate(swap, raised) {
        const instruction = await built(swap)
        const raise = ({ address, role }: AccountMeta) => ({ address, role: role | AccountRole.WRITABLE })
        send([{ ...instruction, accounts: instruction.accounts.map((meta, i) => (raised.includes(i) ? raise(meta) : meta)) }])
      },
    }),
    strangersWay('to accounts that were sent lamports before', {
      outcome: 'counts',
      choices: fc.record({ order: fc.constantFrom(0n, 1n, 890_880n, 3_000_000n), second: fc.constantFrom(0n, 1n, 2_039_280n, 5_000_000n) }),
      async initiate(swap, { order, second }) {
        const instruction = await built(swap)
        const transfer = (destination: Address, amount: bigint) =>
          amount === 0n ? [] : [getTransferSolInstruction({ source: createNoopSigner(user.address), destination, amount })]
        const [orderAccount, secondAccount] = [strangeAccount('order', instruction), strangeAccount('second', instruction)]
        send([...transfer(orderAccount, order), ...(mint === null ? [] : transfer(secondAccount, second)), instruction])
      },
    }),
    strangersWay('among others in one transaction', {
      outcome: 'counts',
      choices: fc.record({ before: fc.boolean(), after: fc.boolean() }),
      async initiate(swap, { before, after }) {
        const other = (more: bigint) => built({ ...swap, terms: { ...swap.terms, amount: swap.terms.amount + more } })
        send([...(before ? [await other(1n)] : []), await built(swap), ...(after ? [await other(2n)] : [])])
      },
    }),
    strangersWay('with an account exchanged', {
      outcome: 'may',
      choices: fc.record({ at: fc.nat(8), by: strange, writable: fc.boolean() }),
      async initiate(swap, { at, by, writable }) {
        const instruction = await built(swap)
        const at_ = at % instruction.accounts.length
        const address = strangeAccount(by, instruction)
        const signs = [user.address, stranger.address].includes(address)
        const role = (writable ? AccountRole.WRITABLE : AccountRole.READONLY) | (signs ? AccountRole.READONLY_SIGNER : 0)
        send([withAccount(instruction, at_, address, role)])
      },
    }),
    strangersWay('with accounts or bytes at the end', {
      outcome: 'never',
      choices: fc.record({ accounts: fc.array(strange, { maxLength: 3 }), bytes: fc.uint8Array({ maxLength: 3 }) }),
      async initiate(swap, { accounts, bytes }) {
        if (accounts.length + bytes.length === 0) return
        const instruction = await built(swap)
        const more = accounts.map((name) => ({ address: strangeAccount(name, instruction), role: AccountRole.READONLY }))
        send([{ ...instruction, accounts: [...instruction.accounts, ...more], data: Uint8Array.of(...instruction.data, ...bytes) }])
      },
    }),
    strangersWay('with a byte changed', {
      outcome: 'may',
      choices: fc.record({ at: fc.nat(110), to: fc.nat(255) }),
      async initiate(swap, { at, to }) {
        const instruction = await built(swap)
        send([{ ...instruction, data: instruction.data.map((byte, i) => (i === at % instruction.data.length ? to : byte)) }])
      },
    }),
    strangersWay('at another derived address', {
      outcome: 'never',
      choices: fc.record({ skipped: fc.nat(3), named: fc.boolean() }),
      async initiate(swap, { skipped, named }) {
        const instruction = await built(swap)
        const { address, bump } = derived(contract.program, orderSeeds(swap, mint), skipped + 1)
        const data = instruction.data.slice()
        // An instruction with a bump has it behind the secret hash.
        if (named && data.length > ORDER_BUMP_AT) data[ORDER_BUMP_AT] = bump
        send([{ ...withAccount(instruction, ORDER, address), data }])
      },
    }),
  ]
  const means = { user: user.address, stranger: stranger.address, send, strange, strangeAccount }
  return [...common, ...(mint === null ? [] : tokenWays(mint)), ...depositWays(contract, means)]

  function tokenWays(of: Address): readonly StrangersWay[] {
    return [
      strangersWay('with another vault', {
        outcome: 'may',
        choices: fc.record({ skipped: fc.nat(6), named: fc.boolean() }),
        examples: [{ skipped: 1, named: true }],
        async initiate(swap, { skipped, named }) {
          const instruction = await built(swap)
          const order = strangeAccount('order', instruction)
          const { address, bump } = derived(contract.program, [text('vault'), bytesOf(order)], skipped)
          const data = instruction.data.slice()
          if (named) data[data.length - 1] = bump
          send([{ ...withAccount(instruction, VAULT, address), data }])
        },
      }),
      strangersWay('out of another token account', {
        outcome: 'counts',
        ...each<Payer>('user', 'stranger'),
        async initiate(swap, party) {
          const owner = addressOf(party)
          const instruction = await built(swap, { funder: owner })
          const associated = tokenAccountOf(owner, of)
          const at = instruction.accounts.findIndex(({ address }) => address === associated)
          send([withAccount(instruction, at, await otherTokens(owner, of))])
        },
      }),
      strangersWay('with tokens sent to its vault afterwards', {
        outcome: 'counts',
        choices: fc.bigInt(1n, 1000n),
        async initiate(swap, amount) {
          const instruction = await built(swap)
          send([instruction])
          local.mine()
          const token = strangeAccount('second', instruction)
          const more = getMintToInstruction({ mint: of, token, mintAuthority: createNoopSigner(faucet.address), amount })
          await faucet.confirm(faucet.send([more]))
        },
      }),
      // Without a token account the deposit counts, but no secret is shown for it: `verifyPayout` refuses.
      strangersWay('to a redeemer whose token account is made with it', {
        outcome: 'counts',
        choices: fc.constant(null),
        agree: (terms) => ({ ...terms, redeemer: createLocalSigner(randomBytes(32)).address }),
        async initiate(swap) {
          const owner = swap.terms.redeemer as Address
          const ata = tokenAccountOf(owner, of)
          const create = getCreateAssociatedTokenIdempotentInstruction({ payer: createNoopSigner(user.address), ata, owner, mint: of })
          send([create, await built(swap)])
        },
      }),
    ]
  }

  function needs({ accounts = [] }: Instruction, address: Address): boolean {
    return accounts.some((meta) => meta.address === address && (meta.role & AccountRole.READONLY_SIGNER) !== 0)
  }
}

const text = (value: string) => new TextEncoder().encode(value)
const bytesOf = (address: Address) => Uint8Array.from(getAddressEncoder().encode(address))
/** The bump is behind tag, amount, timelock, time, redeemer and secret hash. */
const ORDER_BUMP_AT = 8 + 8 + 8 + 8 + 32 + 32

function orderSeeds({ terms }: AgreedSwap, mint: Address | null): readonly Uint8Array[] {
  const numbers = Buffer.alloc(16)
  numbers.writeBigUInt64LE(terms.amount, 0)
  numbers.writeBigUInt64LE(terms.timelock, 8)
  const parties = [bytesOf(terms.initiator as Address), bytesOf(terms.redeemer as Address), Buffer.from(terms.secretHash, 'hex'), numbers]
  return mint === null ? [text('htlc'), ...parties] : [text('htlc_token'), ...parties, bytesOf(mint)]
}

/** The address has `skipped` better ones before it: 0 gives the canonical one. */
function derived(program: Address, seeds: readonly Uint8Array[], skipped: number): { readonly address: Address; readonly bump: number } {
  let left = skipped
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = sha256(Buffer.concat([...seeds, Uint8Array.of(bump), bytesOf(program), text('ProgramDerivedAddress')]))
    const address = getAddressDecoder().decode(hash)
    if (!isOffCurveAddress(address)) continue
    if (left === 0) return { address, bump }
    left -= 1
  }
  throw new Error('there are not so many derived addresses')
}
