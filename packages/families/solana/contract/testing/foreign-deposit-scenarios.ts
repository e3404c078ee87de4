// Tests what was sent to a deposit by mistake or to harm it: tokens of Token-2022 with its extensions, and programs that only claim to hold tokens.
import { equal, notEqual } from 'node:assert/strict'
import { AccountRole, type Address, getAddressEncoder, type Instruction, none, some } from '@solana/kit'
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getMintEncoder,
  getMintToInstruction,
  getTokenEncoder,
  getTransferCheckedInstruction,
} from '@solana-program/token'
import { token2022Program as tokenProgram } from '../client/programs.ts'
import { createAcceptor } from './acceptor.ts'
import { associatedTokensAt, type HtlcFixture, keyOf, type TestOrder, withAccount } from './order.ts'
import { accepted, refused, type Scenario } from './scenario.ts'

const programAddress = tokenProgram
const decimals = 6
const amount = 1_000n

/** A mint with one extension: a type, a length, and its bytes. */
function putExtendedMint(htlc: HtlcFixture, mint: Address, type: number, extension: Uint8Array): void {
  const authority = some(htlc.keys.stranger.address)
  const base = getMintEncoder().encode({ mintAuthority: authority, supply: 0n, decimals, isInitialized: true, freezeAuthority: none() })
  const data = Buffer.alloc(166 + 4 + extension.length)
  data.set(Uint8Array.from(base))
  data[165] = 1
  data.writeUInt16LE(type, 166)
  data.writeUInt16LE(extension.length, 168)
  data.set(extension, 170)
  htlc.putAccount(mint, tokenProgram, Uint8Array.from(data))
}

/** One percent. */
function feeExtension(authority: Address): Uint8Array {
  const data = Buffer.alloc(108)
  const key = Uint8Array.from(getAddressEncoder().encode(authority))
  data.set(key)
  data.set(key, 32)
  for (const at of [72, 90]) {
    data.writeBigUInt64LE(1_000_000n, at + 8)
    data.writeUInt16LE(100, at + 16)
  }
  return data
}

function hookExtension(hook: Address): Uint8Array {
  const key = Uint8Array.from(getAddressEncoder().encode(hook))
  return Uint8Array.of(...key, ...key)
}

const ataOf = (owner: Address, mint: Address) => associatedTokensAt(owner, mint, tokenProgram)

function create(htlc: HtlcFixture, owner: Address, mint: Address): Instruction {
  return getCreateAssociatedTokenIdempotentInstruction({ payer: htlc.keys.relayer, ata: ataOf(owner, mint), owner, mint, tokenProgram })
}

function mintTo(htlc: HtlcFixture, owner: Address, mint: Address): Instruction {
  return getMintToInstruction({ mint, token: ataOf(owner, mint), mintAuthority: htlc.keys.stranger, amount }, { programAddress })
}

function held(htlc: HtlcFixture, owner: Address, mint: Address): bigint {
  const data = htlc.data(ataOf(owner, mint))
  return data === null ? 0n : Buffer.from(data).readBigUInt64LE(64)
}

/** Returns the mint of tokens that lie at the deposit. */
async function sentTo(htlc: HtlcFixture, order: TestOrder, name: string, put: (mint: Address) => void): Promise<Address> {
  const { address: mint } = await keyOf(name)
  put(mint)
  const { initiator } = order.terms
  await accepted(htlc, [create(htlc, order.deposit, mint), create(htlc, initiator, mint), mintTo(htlc, order.deposit, mint)])
  return mint
}

const back = (htlc: HtlcFixture, order: TestOrder, mint: Address) => htlc.returnDeposit(order, { of: { mint, tokenProgram } })

export const foreignDepositScenarios: readonly Scenario[] = [
  {
    name: 'tokens of Token-2022 fund no order and go back at any time',
    async play(htlc) {
      const order = htlc.newOrder()
      const mint = await sentTo(htlc, order, 'mint of Token-2022', (address) => htlc.putMint(address, tokenProgram))
      const { initiator } = order.terms
      const lamports = htlc.balance(initiator)
      const rent = htlc.balance(ataOf(order.deposit, mint))
      if (htlc.kind === 'token') {
        const other = htlc.newOrder({ mint })
        await refused(htlc, htlc.initiateDeposited({ ...other, depositTokens: ataOf(other.deposit, mint) }), 'WrongDeposit')
      }
      await accepted(htlc, back(htlc, order, mint))
      equal(held(htlc, initiator, mint), amount)
      equal(htlc.owner(ataOf(order.deposit, mint)), null)
      equal(htlc.balance(initiator), lamports + rent)
    },
  },
  {
    name: 'tokens with a transfer fee go back, less their fee',
    async play(htlc) {
      const order = htlc.newOrder()
      const { stranger } = htlc.keys
      const mint = await sentTo(htlc, order, 'mint with a fee', (address) =>
        putExtendedMint(htlc, address, 1, feeExtension(htlc.keys.stranger.address)),
      )
      await accepted(htlc, [create(htlc, stranger.address, mint), mintTo(htlc, stranger.address, mint)])
      const [source, destination] = [ataOf(stranger.address, mint), ataOf(order.deposit, mint)]
      await accepted(
        htlc,
        getTransferCheckedInstruction({ source, mint, destination, authority: stranger, amount, decimals }, { programAddress }),
      )
      equal(held(htlc, order.deposit, mint), 1_990n)
      // Token-2022 closes no account that withholds fees; anyone can move them to the mint.
      await refused(htlc, back(htlc, order, mint), 'code 35')
      const harvest: Instruction = {
        programAddress,
        accounts: [
          { address: mint, role: AccountRole.WRITABLE },
          { address: destination, role: AccountRole.WRITABLE },
        ],
        data: Uint8Array.of(26, 4),
      }
      await accepted(htlc, [harvest, back(htlc, order, mint)])
      equal(held(htlc, order.terms.initiator, mint), 1_970n)
    },
  },
  {
    name: 'tokens whose transfer calls another program stay: none runs with the signature of a deposit',
    async play(htlc) {
      const order = htlc.newOrder()
      const { address: hook } = await keyOf('hook')
      htlc.svm.addProgram(hook, createAcceptor())
      const mint = await sentTo(htlc, order, 'mint with a hook', (address) => putExtendedMint(htlc, address, 14, hookExtension(hook)))
      notEqual((await htlc.sendSigned([back(htlc, order, mint)])).error, null)
      const withHook = back(htlc, order, mint)
      const accounts = [...withHook.accounts, { address: hook, role: AccountRole.READONLY }]
      await refused(htlc, { ...withHook, accounts }, 'InvalidAccountCount')
      equal(held(htlc, order.deposit, mint), amount)
    },
  },
  {
    name: 'a program that is none of the two Token programs gets no signature of a deposit',
    async play(htlc) {
      const order = htlc.newOrder()
      await htlc.deposit(order, order.terms.amount)
      const { address: fake } = await keyOf('accepts everything')
      htlc.svm.addProgram(fake, createAcceptor())
      const { address: mint } = await keyOf('another mint')
      const { initiator } = order.terms
      const [tokens, initiatorTokens] = [associatedTokensAt(order.deposit, mint, fake), associatedTokensAt(initiator, mint, fake)]
      for (const [address, owner] of [
        [tokens, order.deposit],
        [initiatorTokens, initiator],
      ] as const) {
        const fields = {
          delegate: none<Address>(),
          state: 1,
          isNative: none<bigint>(),
          delegatedAmount: 0n,
          closeAuthority: none<Address>(),
        }
        htlc.putAccount(address, fake, Uint8Array.from(getTokenEncoder().encode({ mint, owner, amount: 5n, ...fields })))
      }
      const faked = htlc.returnDeposit(order, { isSigned: true, of: { mint, tokenProgram: fake } })
      await refused(htlc, faked, 'WrongTokenProgram')
      const programIndex = faked.accounts.length - 1
      for (const real of [tokenProgram, 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address])
        await refused(htlc, withAccount(faked, programIndex, real), 'WrongTokenProgram')
    },
  },
]
