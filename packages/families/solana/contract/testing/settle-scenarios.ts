// Tests redeems, refunds and instant refunds: who is paid, how much, when, and how often.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { AccountRole, getAddressDecoder, getAddressEncoder, lamports } from '@solana/kit'
import { keyOf, sha256, withAccount, withData } from './order.ts'
import { accepted, isOpen, moves, orderSize, pays, refused, type Scenario } from './scenario.ts'

export const settleScenarios: readonly Scenario[] = [
  {
    name: 'who shows the secret pays the redeemer',
    async play(htlc) {
      const [order, other] = [await htlc.open(), await htlc.open()]
      await pays(htlc, order, htlc.redeem(order), htlc.keys.redeemer.address)
      const state = htlc.state(order)
      equal(state?.status, 'redeemed')
      deepEqual(state?.status === 'redeemed' && state.secret, order.secret)
      isOpen(htlc, other)
    },
  },
  {
    name: 'the account of a settled order says in which slot it was settled',
    async play(htlc) {
      for (const [settle, slot] of [
        [htlc.redeem, 12_345n],
        [htlc.refund, 2n ** 32n + 77n],
        [htlc.instantRefund, 2n ** 40n - 1n],
      ] as const) {
        const order = await htlc.open({ timelock: 1n })
        htlc.moveTo({ slot })
        await accepted(htlc, settle(order))
        const state = htlc.state(order)
        equal(state?.status !== 'open' && state?.settledSlot, slot)
      }
    },
  },
  {
    name: 'a wrong secret is refused',
    async play(htlc) {
      const [order, other] = [await htlc.open(), await htlc.open()]
      for (const secret of [other.secret, sha256(order.secret), Uint8Array.from(order.terms.secretHash), new Uint8Array(32)])
        await refused(htlc, htlc.redeem({ ...order, secret }), 'WrongSecret')
      const right = htlc.redeem(order)
      for (const data of [right.data.slice(0, 39), Uint8Array.of(...right.data, 0)])
        await refused(htlc, withData(right, data), 'InvalidInstruction')
      isOpen(htlc, order)
    },
  },
  {
    name: 'a redeem pays nobody but the redeemer',
    async play(htlc) {
      const order = await htlc.open()
      const { initiator, stranger, rentPayer, relayer } = htlc.keys
      const payeeIndex = htlc.kind === 'SOL' ? 1 : 2
      for (const { address } of [initiator, stranger, rentPayer, relayer])
        await refused(htlc, withAccount(htlc.redeem(order), payeeIndex, htlc.payee(address)), 'WrongPayee')
      isOpen(htlc, order)
    },
  },
  {
    name: 'addresses are compared to the last byte',
    kind: 'SOL',
    async play(htlc) {
      const order = await htlc.open()
      for (const at of [0, 7, 8, 16, 24, 31]) {
        const bytes = Uint8Array.from(getAddressEncoder().encode(order.terms.redeemer))
        bytes[at] = (bytes[at] ?? 0) ^ 1
        await refused(htlc, withAccount(htlc.redeem(order), 1, getAddressDecoder().decode(bytes)), 'WrongPayee')
      }
    },
  },
  {
    name: 'a small amount waits until its payee has an account',
    kind: 'SOL',
    async play(htlc) {
      const { address: redeemer } = await keyOf('has no account')
      const order = await htlc.open({ redeemer, amount: htlc.rent(0) - 1n })
      const { error } = await htlc.sendSigned([htlc.redeem(order)])
      ok(error?.includes('InsufficientFundsForRent'), String(error))
      isOpen(htlc, order)
      htlc.svm.airdrop(redeemer, lamports(htlc.rent(0)))
      await moves(htlc, htlc.redeem(order), [[redeemer, order.terms.amount]])
    },
  },
  {
    name: 'a redeem is possible after expiry until a refund lands',
    async play(htlc) {
      const order = await htlc.open()
      htlc.moveTo({ slot: htlc.clock().slot + 1_000_000n })
      await pays(htlc, order, htlc.redeem(order), htlc.keys.redeemer.address)
    },
  },
  {
    name: 'a refund is possible from the slot of expiry on, and not one before',
    async play(htlc) {
      const { slot } = htlc.clock()
      const order = await htlc.open({ timelock: 50n })
      for (const early of [slot, slot + 49n]) {
        htlc.moveTo({ slot: early })
        await refused(htlc, htlc.refund(order), 'OrderNotExpired')
      }
      htlc.moveTo({ slot: slot + 50n })
      await pays(htlc, order, htlc.refund(order), htlc.keys.initiator.address)
      equal(htlc.state(order)?.status, 'refunded')
    },
  },
  {
    name: 'the wait for a refund counts from the slot of the initiation',
    async play(htlc) {
      htlc.moveTo({ slot: htlc.clock().slot + 12_345n })
      const order = await htlc.open({ timelock: 3n })
      await refused(htlc, htlc.refund(order), 'OrderNotExpired')
      htlc.expire(order)
      await accepted(htlc, htlc.refund(order))
    },
  },
  {
    name: 'a refund pays nobody but the initiator, also when another funded it',
    async play(htlc) {
      const order = await htlc.open()
      htlc.expire(order)
      const { redeemer, funder, stranger, rentPayer } = htlc.keys
      const payeeIndex = htlc.kind === 'SOL' ? 1 : 2
      for (const { address } of [redeemer, funder, stranger, rentPayer])
        await refused(htlc, withAccount(htlc.refund(order), payeeIndex, htlc.payee(address)), 'WrongPayee')
      await pays(htlc, order, htlc.refund(order), htlc.keys.initiator.address)
    },
  },
  {
    name: 'the redeemer can permit a refund at once',
    async play(htlc) {
      const order = await htlc.open()
      await pays(htlc, order, htlc.instantRefund(order), htlc.keys.initiator.address)
      equal(htlc.state(order)?.status, 'refunded')
    },
  },
  {
    name: 'an instant refund needs the signature of the redeemer and of nobody else',
    async play(htlc) {
      const order = await htlc.open()
      const instant = htlc.instantRefund(order)
      const last = instant.accounts.length - 1
      for (const { address } of [htlc.keys.initiator, htlc.keys.stranger, htlc.keys.rentPayer])
        await refused(htlc, withAccount(instant, last, address), 'NotTheRedeemer')
      const accounts = instant.accounts.map((meta, index) => (index === last ? { ...meta, role: AccountRole.READONLY } : meta))
      await refused(htlc, { ...instant, accounts }, 'MissingSignature')
      await refused(htlc, { ...instant, accounts: instant.accounts.slice(0, last) }, 'InvalidAccountCount')
      isOpen(htlc, order)
    },
  },
  {
    name: 'an instant refund pays nobody but the initiator',
    async play(htlc) {
      const order = await htlc.open()
      const payeeIndex = htlc.kind === 'SOL' ? 1 : 2
      for (const { address } of [htlc.keys.redeemer, htlc.keys.funder, htlc.keys.stranger])
        await refused(htlc, withAccount(htlc.instantRefund(order), payeeIndex, htlc.payee(address)), 'WrongPayee')
    },
  },
  {
    name: 'a settled order is never paid again',
    async play(htlc) {
      const settlements = [htlc.redeem, htlc.refund, htlc.instantRefund] as const
      for (const first of settlements) {
        const [order, other] = [await htlc.open(), await htlc.open()]
        htlc.expire(order)
        await accepted(htlc, first(order))
        for (const second of settlements) await refused(htlc, second(order), 'OrderSettled')
        await refused(htlc, htlc.initiate(order), 'DuplicateOrder')
        isOpen(htlc, other)
      }
    },
  },
  {
    name: 'two settlements in one transaction pay nothing',
    async play(htlc) {
      const order = await htlc.open()
      htlc.expire(order)
      await refused(htlc, [htlc.redeem(order), htlc.refund(order)], 'OrderSettled')
      await refused(htlc, [htlc.refund(order), htlc.redeem(order)], 'OrderSettled')
      await refused(htlc, [htlc.redeem(order), htlc.redeem(order)], 'OrderSettled')
      isOpen(htlc, order)
    },
  },
  {
    name: 'what was never initiated cannot be settled',
    async play(htlc) {
      const order = htlc.newOrder()
      const all = [htlc.redeem(order), htlc.refund(order), htlc.instantRefund(order), htlc.close(order)]
      for (const instruction of all) await refused(htlc, instruction, 'OrderNotInitiated')
      // Anyone can create an account of zeros that belongs to the program.
      htlc.putAccount(order.address, htlc.program, new Uint8Array(orderSize(htlc)))
      for (const instruction of all) await refused(htlc, instruction, 'OrderNotInitiated')
      htlc.putAccount(order.address, htlc.program, new Uint8Array(0))
      for (const instruction of all) await refused(htlc, instruction, 'OrderNotInitiated')
    },
  },
  {
    name: 'an account of another program that looks like an order is none',
    async play(htlc) {
      const order = await htlc.open()
      const data = htlc.data(order.address) ?? new Uint8Array(0)
      htlc.putAccount(order.address, htlc.keys.stranger.address, data, htlc.balance(order.address))
      htlc.expire(order)
      for (const instruction of [htlc.redeem(order), htlc.refund(order), htlc.instantRefund(order), htlc.close(order)])
        await refused(htlc, instruction, 'OrderNotInitiated')
    },
  },
  {
    name: 'lamports that a stranger sends to an open order change no payment',
    async play(htlc) {
      const gift = 123_456_789n
      const order = await htlc.open()
      htlc.svm.airdrop(order.address, lamports(gift))
      const before = htlc.balance(order.address)
      await pays(htlc, order, htlc.redeem(order), htlc.keys.redeemer.address)
      const vaultRent = htlc.kind === 'SOL' ? 0n : htlc.rent(165)
      equal(htlc.balance(order.address), before + vaultRent - (htlc.kind === 'SOL' ? order.terms.amount : 0n))
    },
  },
  {
    name: 'every instruction takes exactly its accounts and its data',
    async play(htlc) {
      const order = await htlc.open()
      htlc.expire(order)
      const deposited = htlc.newOrder()
      await htlc.deposit(deposited, deposited.terms.amount)
      const all = [
        htlc.initiate(htlc.newOrder()),
        htlc.redeem(order),
        htlc.refund(order),
        htlc.instantRefund(order),
        htlc.close(order),
        htlc.initiateDeposited(deposited),
        htlc.returnDeposit(deposited, { isSigned: true }),
      ]
      for (const instruction of all) {
        const extra = { address: htlc.keys.stranger.address, role: AccountRole.READONLY }
        await refused(htlc, { ...instruction, accounts: [...instruction.accounts, extra] }, 'InvalidAccountCount')
        await refused(htlc, { ...instruction, accounts: instruction.accounts.slice(0, -1) }, 'InvalidAccountCount')
        await refused(htlc, { ...instruction, accounts: [] }, 'InvalidAccountCount')
        await refused(htlc, withData(instruction, Uint8Array.of(...instruction.data, 0)), 'InvalidInstruction')
        for (const length of [0, 7, instruction.data.length - 1])
          await refused(htlc, withData(instruction, instruction.data.slice(0, length)), 'InvalidInstruction')
      }
      for (const tag of [13n, 255n, 256n, 2n ** 32n, 2n ** 64n - 1n]) {
        const data = Buffer.alloc(8)
        data.writeBigUInt64LE(tag)
        await refused(htlc, withData(htlc.refund(order), data), 'InvalidInstruction')
      }
    },
  },
]
