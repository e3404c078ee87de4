// Tests closing: the rent goes back to its payer, and nothing that was signed for an order can initiate it again.
import { equal } from 'node:assert/strict'
import { lamports } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { systemProgram } from '../client/programs.ts'
import { withAccount } from './order.ts'
import { accepted, fullRent, isOpen, pays, refused, type Scenario } from './scenario.ts'

export const closeScenarios: readonly Scenario[] = [
  {
    name: 'a settled order gives its rent back, from the end of its window to initiate on',
    async play(htlc) {
      const { rentPayer } = htlc.keys
      for (const settle of [htlc.redeem, htlc.instantRefund]) {
        const before = htlc.balance(rentPayer.address)
        const order = await htlc.open()
        equal(htlc.balance(rentPayer.address), before - fullRent(htlc))
        await accepted(htlc, settle(order))
        for (const time of [htlc.clock().time, order.initiateBefore - 1n]) {
          htlc.moveTo({ time })
          await refused(htlc, htlc.close(order), 'TooEarlyToClose')
        }
        htlc.moveTo({ time: order.initiateBefore })
        await accepted(htlc, htlc.close(order))
        equal(htlc.balance(rentPayer.address), before)
        equal(htlc.owner(order.address), null)
        await refused(htlc, htlc.close(order), 'OrderNotInitiated')
      }
    },
  },
  {
    name: 'an open order cannot be closed',
    async play(htlc) {
      const order = await htlc.open()
      htlc.expire(order)
      htlc.moveTo({ time: order.initiateBefore })
      await refused(htlc, htlc.close(order), 'OrderOpen')
      isOpen(htlc, order)
    },
  },
  {
    name: 'the rent goes to nobody else',
    async play(htlc) {
      const order = await htlc.open()
      await accepted(htlc, htlc.redeem(order))
      htlc.moveTo({ time: order.initiateBefore })
      const { initiator, redeemer, funder, stranger, relayer } = htlc.keys
      for (const { address } of [initiator, redeemer, funder, stranger, relayer])
        await refused(htlc, htlc.close(order, address), 'WrongRentPayer')
      await refused(htlc, withAccount(htlc.close(order), 1, order.address), 'WrongRentPayer')
    },
  },
  {
    name: 'what strangers sent to the order goes with the rent',
    async play(htlc) {
      const { rentPayer } = htlc.keys
      const before = htlc.balance(rentPayer.address)
      const order = await htlc.open()
      htlc.svm.airdrop(order.address, lamports(777n))
      await accepted(htlc, htlc.redeem(order))
      htlc.svm.airdrop(order.address, lamports(888n))
      htlc.moveTo({ time: order.initiateBefore })
      await accepted(htlc, htlc.close(order))
      equal(htlc.balance(rentPayer.address), before + 777n + 888n)
    },
  },
  {
    name: 'settling and closing fit into one transaction',
    async play(htlc) {
      const order = await htlc.open()
      htlc.expire(order)
      htlc.moveTo({ time: order.initiateBefore })
      await accepted(htlc, [htlc.refund(order), htlc.close(order)])
      equal(htlc.owner(order.address), null)
      await refused(htlc, htlc.redeem(order), 'OrderNotInitiated')
    },
  },
  {
    name: 'a second transaction that was signed for the order never initiates it again',
    async play(htlc) {
      const { funder, rentPayer, relayer } = htlc.keys
      const order = htlc.newOrder()
      const sign = (payer: typeof relayer) => htlc.signedBy([htlc.initiate(order)], [payer, funder, rentPayer], payer.address)
      const [first, whileOpen, whenSettled, whenClosed] = [sign(relayer), sign(rentPayer), sign(funder), sign(htlc.keys.stranger)] as const
      equal(htlc.submit(first).error, null)
      equal(htlc.submit(whileOpen).error, 'DuplicateOrder')
      equal(htlc.submit(htlc.signedBy([htlc.redeem(order)], [relayer], relayer.address)).error, null)
      equal(htlc.submit(whenSettled).error, 'DuplicateOrder')
      htlc.moveTo({ time: order.initiateBefore })
      equal(htlc.submit(htlc.signedBy([htlc.close(order)], [relayer], relayer.address)).error, null)
      equal(htlc.submit(whenClosed).error, 'InitiateTooLate')
      htlc.svm.expireBlockhash()
    },
  },
  {
    name: 'a closed order can be initiated anew only with a later window',
    async play(htlc) {
      const order = await htlc.open()
      await accepted(htlc, htlc.redeem(order))
      htlc.moveTo({ time: order.initiateBefore })
      await accepted(htlc, htlc.close(order))
      await refused(htlc, htlc.initiate(order), 'InitiateTooLate')
      await refused(htlc, [htlc.initiate({ ...order, initiateBefore: htlc.clock().time })], 'InitiateTooLate')
      const again = { ...order, initiateBefore: htlc.clock().time + 10n }
      await accepted(htlc, htlc.initiate(again))
      isOpen(htlc, again)
      await pays(htlc, again, htlc.redeem(again), htlc.keys.redeemer.address)
    },
  },
  {
    name: 'an account that gets lamports while it is closed does not stay an order',
    async play(htlc) {
      const { relayer } = htlc.keys
      const order = await htlc.open()
      await accepted(htlc, htlc.redeem(order))
      htlc.moveTo({ time: order.initiateBefore })
      const gift = getTransferSolInstruction({ source: relayer, destination: order.address, amount: htlc.rent(0) })
      await accepted(htlc, [htlc.close(order), gift])
      equal(htlc.owner(order.address), systemProgram)
      equal(htlc.data(order.address)?.length, 0)
      const again = { ...order, initiateBefore: htlc.clock().time + 10n }
      await accepted(htlc, htlc.initiate(again))
      isOpen(htlc, again)
    },
  },
  {
    name: 'the account of a settled order stays in the way until its window has ended, whoever sends lamports',
    async play(htlc) {
      const order = await htlc.open()
      await accepted(htlc, htlc.instantRefund(order))
      htlc.svm.airdrop(order.address, lamports(10n ** 9n))
      htlc.moveTo({ slot: htlc.clock().slot + 1_000_000n })
      await refused(htlc, htlc.initiate(order), 'DuplicateOrder')
      await refused(htlc, htlc.close(order), 'TooEarlyToClose')
    },
  },
]
