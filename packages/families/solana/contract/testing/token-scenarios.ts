// Tests what is special about tokens: programs, mints, vaults, and token accounts that are frozen, foreign, missing or empty.
import { equal } from 'node:assert/strict'
import { type Address, none, some } from '@solana/kit'
import {
  AccountState,
  AuthorityType,
  getApproveInstruction,
  getFreezeAccountInstruction,
  getSetAuthorityInstruction,
  getThawAccountInstruction,
  getTokenEncoder,
  getTransferInstruction,
} from '@solana-program/token'
import { instantRefundSol, instantRefundToken, redeemSol, redeemToken, refundSol, refundToken } from '../client/instructions.ts'
import { systemProgram, tokenProgram } from '../client/programs.ts'
import { associatedTokens, type HtlcFixture, keyOf, withAccount } from './order.ts'
import { accepted, isOpen, moves, pays, refused, type Scenario, wrongVault } from './scenario.ts'

const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address
const [vaultIndex, payeeIndex, programIndex] = [1, 2, 3]
const [initiateMint, initiateTokenProgram, initiateFunderTokens] = [6, 7, 5]

export const tokenScenarios: readonly Scenario[] = [
  {
    name: 'instructions for one kind of order are refused for the other',
    async play(htlc) {
      const order = await htlc.open()
      htlc.expire(order)
      const { program } = htlc
      const { initiator, redeemer } = order.terms
      const { address, secret } = order
      const others =
        htlc.kind === 'SOL'
          ? [
              redeemToken(program, address, htlc.tokensOf(redeemer), secret),
              refundToken(program, address, htlc.tokensOf(initiator)),
              instantRefundToken(program, address, htlc.tokensOf(initiator), redeemer),
            ]
          : [
              redeemSol(program, address, redeemer, secret),
              refundSol(program, address, initiator),
              instantRefundSol(program, address, initiator, redeemer),
            ]
      for (const instruction of others) await refused(htlc, instruction, 'WrongKind')
      isOpen(htlc, order)
    },
  },
  {
    name: 'Token-2022 is refused, and so is a mint of it',
    kind: 'token',
    async play(htlc) {
      const order = htlc.newOrder()
      await refused(htlc, withAccount(htlc.initiate(order), initiateTokenProgram, token2022), 'WrongTokenProgram')
      const { address: mint } = await keyOf('mint of Token-2022')
      htlc.putMint(mint, token2022)
      await refused(htlc, htlc.initiate(htlc.newOrder({ mint })), 'WrongMint')
      const open = await htlc.open()
      htlc.expire(open)
      for (const settle of [htlc.redeem, htlc.refund, htlc.instantRefund])
        await refused(htlc, withAccount(settle(open), programIndex, token2022), 'WrongTokenProgram')
    },
  },
  {
    name: 'a mint must be one',
    kind: 'token',
    async play(htlc) {
      const { address: notInitialized } = await keyOf('mint that is not initialized')
      htlc.putAccount(notInitialized, tokenProgram, new Uint8Array(82))
      await refused(htlc, htlc.initiate(htlc.newOrder({ mint: notInitialized })), 'code 2')
      const { address: ofNobody } = await keyOf('no mint')
      await refused(htlc, htlc.initiate(htlc.newOrder({ mint: ofNobody })), 'WrongMint')
      const tokens = htlc.tokensOf(htlc.keys.funder.address)
      await refused(htlc, htlc.initiate(htlc.newOrder({ mint: tokens })), 'code 2')
      await refused(htlc, withAccount(htlc.initiate(htlc.newOrder()), initiateMint, tokens), 'WrongOrderAddress')
    },
  },
  {
    name: 'tokens of another mint do not fund an order',
    kind: 'token',
    async play(htlc) {
      const order = htlc.newOrder()
      const other = await otherTokens(htlc, htlc.keys.funder.address)
      await refused(htlc, withAccount(htlc.initiate(order), initiateFunderTokens, other), 'code 3')
    },
  },
  {
    name: 'only the owner of tokens, or a delegate, can fund with them',
    kind: 'token',
    async play(htlc) {
      const { stranger, initiator } = htlc.keys
      const order = htlc.newOrder()
      const tokens = htlc.tokensOf(initiator.address)
      const asStranger = withAccount(htlc.initiate(order, stranger.address), initiateFunderTokens, tokens)
      await refused(htlc, asStranger, 'code 4')
      const approve = getApproveInstruction({ source: tokens, delegate: stranger.address, owner: initiator, amount: order.terms.amount })
      await accepted(htlc, approve)
      await moves(htlc, asStranger, [
        [initiator.address, -order.terms.amount],
        [stranger.address, 0n],
      ])
      isOpen(htlc, order)
    },
  },
  {
    name: 'the vault is the order’s own, and holds nothing else',
    kind: 'token',
    async play(htlc) {
      const [order, other] = [await htlc.open(), await htlc.open()]
      htlc.expire(order)
      const { redeemer, stranger } = htlc.keys
      const wrong = [other.vault, htlc.tokensOf(redeemer.address), htlc.tokensOf(stranger.address), htlc.mint, order.address]
      for (const vault of wrong)
        for (const settle of [htlc.redeem, htlc.refund, htlc.instantRefund])
          await refused(htlc, withAccount(settle(order), vaultIndex, vault), 'WrongVault')
      await refused(htlc, withAccount(htlc.initiate(htlc.newOrder()), vaultIndex, htlc.newOrder().vault), wrongVault)
      // An address with lamports takes another path in the program.
      await refused(htlc, withAccount(htlc.initiate(htlc.newOrder()), vaultIndex, other.vault), wrongVault)
      isOpen(htlc, order)
      isOpen(htlc, other)
    },
  },
  {
    name: 'tokens go only to the associated token account of the payee for this mint',
    kind: 'token',
    async play(htlc) {
      const order = await htlc.open()
      htlc.expire(order)
      const { redeemer, initiator } = htlc.keys
      const second = [(await keyOf('second of the redeemer')).address, (await keyOf('second of the initiator')).address] as const
      htlc.putTokens(second[0], htlc.mint, redeemer.address, 5n)
      htlc.putTokens(second[1], htlc.mint, initiator.address, 5n)
      const others = [await otherTokens(htlc, redeemer.address), await otherTokens(htlc, initiator.address)]
      for (const payee of [...second, ...others, order.vault, htlc.mint, redeemer.address, initiator.address, order.address])
        for (const settle of [htlc.redeem, htlc.refund, htlc.instantRefund])
          await refused(htlc, withAccount(settle(order), payeeIndex, payee), 'WrongPayee')
      isOpen(htlc, order)
    },
  },
  {
    name: 'an associated token account that was given away is not paid',
    kind: 'token',
    async play(htlc) {
      const order = await htlc.open()
      htlc.expire(order)
      const { redeemer, initiator, stranger } = htlc.keys
      for (const owner of [redeemer, initiator]) {
        const given = { owned: htlc.tokensOf(owner.address), authorityType: AuthorityType.AccountOwner, newAuthority: stranger.address }
        await accepted(htlc, getSetAuthorityInstruction({ ...given, owner }))
      }
      for (const settle of [htlc.redeem, htlc.refund, htlc.instantRefund]) await refused(htlc, settle(order), 'WrongPayee')
      isOpen(htlc, order)
    },
  },
  {
    name: 'an associated token account that does not exist is not paid',
    kind: 'token',
    async play(htlc) {
      const order = await htlc.open()
      const tokens = htlc.tokensOf(htlc.keys.redeemer.address)
      for (const gift of [10n ** 9n, 0n]) {
        htlc.putAccount(tokens, systemProgram, new Uint8Array(0), gift)
        await refused(htlc, htlc.redeem(order), 'WrongPayee')
      }
      isOpen(htlc, order)
    },
  },
  {
    name: 'tokens that a stranger sends to the vault go to who is paid, and keep nothing open',
    kind: 'token',
    async play(htlc) {
      const { stranger, redeemer, initiator } = htlc.keys
      const cases = [
        [htlc.redeem, redeemer],
        [htlc.refund, initiator],
        [htlc.instantRefund, initiator],
      ] as const
      for (const [settle, payee] of cases) {
        const order = await htlc.open()
        htlc.expire(order)
        const source = htlc.tokensOf(stranger.address)
        await accepted(htlc, getTransferInstruction({ source, destination: order.vault, authority: stranger, amount: 9n }))
        await moves(htlc, settle(order), [[payee.address, order.terms.amount + 9n]])
        equal(htlc.owner(order.vault), null)
      }
    },
  },
  {
    name: 'a settled order has the rent of its vault',
    kind: 'token',
    async play(htlc) {
      const order = await htlc.open()
      await pays(htlc, order, htlc.redeem(order), htlc.keys.redeemer.address)
      equal(htlc.owner(order.vault), null)
      equal(htlc.balance(order.address), htlc.rent(232) + htlc.rent(165))
    },
  },
  {
    name: 'a frozen token account delays a payment and loses nothing',
    kind: 'token',
    async play(htlc) {
      const order = await htlc.open()
      htlc.expire(order)
      const { stranger: owner, redeemer } = htlc.keys
      for (const account of [order.vault, htlc.tokensOf(redeemer.address)]) {
        await accepted(htlc, getFreezeAccountInstruction({ account, mint: htlc.mint, owner }))
        await refused(htlc, htlc.redeem(order), 'code 17')
        isOpen(htlc, order)
        await accepted(htlc, getThawAccountInstruction({ account, mint: htlc.mint, owner }))
      }
      await pays(htlc, order, htlc.redeem(order), redeemer.address)
    },
  },
  {
    name: 'wrapped SOL is a token like others',
    kind: 'token',
    async play(htlc) {
      const mint = 'So11111111111111111111111111111111111111112' as Address
      const from = (await keyOf('wrapped, from')).address
      const to = await associatedTokens(htlc.keys.redeemer.address, mint)
      const rent = htlc.rent(165)
      htlc.putMint(mint)
      putWrapped(htlc, from, mint, htlc.keys.funder.address, 10_000_000n)
      putWrapped(htlc, to, mint, htlc.keys.redeemer.address, 0n)
      const order = htlc.newOrder({ mint })
      await accepted(htlc, withAccount(htlc.initiate(order), initiateFunderTokens, from))
      equal(htlc.balance(order.vault), rent + order.terms.amount)
      await accepted(htlc, withAccount(htlc.redeem(order), payeeIndex, to))
      equal(htlc.balance(to), rent + order.terms.amount)
      equal(htlc.balance(order.address), htlc.rent(232) + rent)
    },
  },
]

async function otherTokens(htlc: HtlcFixture, owner: Address): Promise<Address> {
  const mint = (await keyOf('another mint')).address
  const account = await associatedTokens(owner, mint)
  htlc.putMint(mint)
  htlc.putTokens(account, mint, owner, 10n ** 9n)
  return account
}

function putWrapped(htlc: HtlcFixture, address: Address, mint: Address, owner: Address, amount: bigint): void {
  const rent = htlc.rent(165)
  const data = getTokenEncoder().encode({
    mint,
    owner,
    amount,
    delegate: none(),
    state: AccountState.Initialized,
    isNative: some(rent),
    delegatedAmount: 0n,
    closeAuthority: none(),
  })
  htlc.putAccount(address, tokenProgram, Uint8Array.from(data), rent + amount)
}
