// Tests deposits: a plain transfer to an address of the order is locked by anyone before its deadline, and what is not locked goes back.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  AccountRole,
  type Address,
  getAddressDecoder,
  getAddressEncoder,
  getI64Encoder,
  isOffCurveAddress,
  type ReadonlyUint8Array,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  AuthorityType,
  getCreateAssociatedTokenIdempotentInstruction,
  getFreezeAccountInstruction,
  getSetAuthorityInstruction,
  getThawAccountInstruction,
  getTransferInstruction,
} from '@solana-program/token'
import { Rent } from 'litesvm'
import { depositAddress, type OrderTerms } from '../client/addresses.ts'
import { systemProgram } from '../client/programs.ts'
import { associatedTokensAt, type HtlcFixture, keyOf, type TestOrder, withAccount, withData } from './order.ts'
import { accepted, fullRent, isOpen, moves, orderSize, pays, refused, type Scenario } from './scenario.ts'

const emptyAccount = 890_880n
const maxWindow = 2_592_000n
const [orderIndex, solDepositIndex, tokenDepositIndex] = [0, 1, 2] as const
const [returnDepositIndex, returnInitiatorIndex, returnPayeeIndex] = [1, 2, 4] as const

const depositIndexOf = ({ kind }: HtlcFixture) => (kind === 'SOL' ? solDepositIndex : tokenDepositIndex)
const tooLittle = ({ kind }: HtlcFixture) => (kind === 'SOL' ? 'DepositTooSmall' : 'code 1')

async function deposited(htlc: HtlcFixture, terms: Partial<OrderTerms> = {}, deadline?: bigint, amount?: bigint): Promise<TestOrder> {
  const order = htlc.newOrder(terms, deadline)
  await htlc.deposit(order, amount ?? order.terms.amount)
  return order
}

/** The deposit goes to the initiator, and to nobody else. */
async function comesBack(htlc: HtlcFixture, order: TestOrder, isSigned = false): Promise<void> {
  const held = htlc.deposited(order)
  ok(held > 0n)
  const { redeemer, stranger, rentPayer } = htlc.keys
  await moves(htlc, htlc.returnDeposit(order, { isSigned }), [
    [order.terms.initiator, held],
    ...[redeemer, stranger, rentPayer].map(({ address }) => [address, 0n] as const),
  ])
  equal(htlc.deposited(order), 0n)
}

export const depositScenarios: readonly Scenario[] = [
  {
    name: 'anyone locks a deposit in its order, which is then like any other',
    async play(htlc) {
      const { rentPayer, initiator, redeemer } = htlc.keys
      const order = await deposited(htlc, { timelock: 77n, amount: 1_234_567n })
      const rent = htlc.balance(rentPayer.address)
      await moves(htlc, htlc.initiateDeposited(order), [
        [initiator.address, 0n],
        [redeemer.address, 0n],
      ])
      equal(htlc.balance(rentPayer.address), rent - fullRent(htlc))
      equal(htlc.deposited(order), 0n)
      equal(htlc.balance(order.address), htlc.rent(orderSize(htlc)) + (htlc.kind === 'SOL' ? order.terms.amount : 0n))
      equal(htlc.tokens(order.vault), htlc.kind === 'SOL' ? 0n : order.terms.amount)
      deepEqual(htlc.state(order), {
        ...order.terms,
        status: 'open',
        secretHash: Uint8Array.from(order.terms.secretHash),
        initiatedSlot: htlc.clock().slot,
        initiateBefore: order.initiateBefore,
        rentPayer: rentPayer.address,
        vault: htlc.kind === 'SOL' ? null : order.vault,
      })
      await pays(htlc, order, htlc.redeem(order), redeemer.address)
      htlc.moveTo({ time: order.initiateBefore })
      await accepted(htlc, htlc.close(order))
      equal(htlc.balance(rentPayer.address), rent)
    },
  },
  {
    name: 'a deposit is refunded to the initiator',
    async play(htlc) {
      const order = await deposited(htlc)
      await accepted(htlc, htlc.initiateDeposited(order))
      htlc.expire(order)
      await pays(htlc, order, htlc.refund(order), htlc.keys.initiator.address)
    },
  },
  {
    name: 'the initiator can lock its deposit alone',
    async play(htlc) {
      const { initiator } = htlc.keys
      const order = await deposited(htlc)
      const before = htlc.balance(initiator.address)
      await accepted(htlc, htlc.initiateDeposited(order, initiator.address))
      equal(htlc.balance(initiator.address), before - fullRent(htlc))
      isOpen(htlc, order)
    },
  },
  {
    name: 'a deposit may come in parts, and the order takes the amount and no more',
    async play(htlc) {
      const order = await deposited(htlc, {}, undefined, 2_000_000n)
      await refused(htlc, htlc.initiateDeposited(order), tooLittle(htlc))
      await htlc.deposit(order, 2_999_999n)
      await refused(htlc, htlc.initiateDeposited(order), tooLittle(htlc))
      await htlc.deposit(order, 1_000_001n)
      await accepted(htlc, htlc.initiateDeposited(order))
      equal(htlc.deposited(order), 1_000_000n)
      isOpen(htlc, order)
      await comesBack(htlc, order)
      await pays(htlc, order, htlc.redeem(order), htlc.keys.redeemer.address)
    },
  },
  {
    name: 'locking a deposit and returning the rest fit into one transaction',
    async play(htlc) {
      const order = await deposited(htlc, {}, undefined, 7_000_000n)
      const { initiator } = htlc.keys
      await moves(htlc, [htlc.initiateDeposited(order), htlc.returnDeposit(order)], [[initiator.address, 2_000_000n]])
      equal(htlc.deposited(order), 0n)
      isOpen(htlc, order)
    },
  },
  {
    name: 'a rest that no account may keep goes to the initiator: no gift of a lamport blocks a deposit',
    kind: 'SOL',
    async play(htlc) {
      const { initiator, rentPayer } = htlc.keys
      for (const rest of [1n, emptyAccount - 1n]) {
        const order = await deposited(htlc, {}, undefined, 5_000_000n + rest)
        const rent = htlc.balance(rentPayer.address)
        const readonlyInitiator = {
          ...htlc.initiateDeposited(order),
          accounts: htlc
            .initiateDeposited(order)
            .accounts.map((meta, index) => (index === 3 ? { ...meta, role: AccountRole.READONLY } : meta)),
        }
        equal((await htlc.sendSigned([readonlyInitiator])).error !== null, true)
        await moves(htlc, htlc.initiateDeposited(order), [[initiator.address, rest]])
        equal(htlc.balance(rentPayer.address), rent - fullRent(htlc))
        equal(htlc.balance(order.address), htlc.rent(168) + order.terms.amount)
        equal(htlc.deposited(order), 0n)
      }
      const order = await deposited(htlc, {}, undefined, 5_000_000n + emptyAccount)
      await moves(htlc, htlc.initiateDeposited(order), [[initiator.address, 0n]])
      equal(htlc.deposited(order), emptyAccount)
    },
  },
  {
    name: 'a rest that the initiator cannot hold either goes to the rent payer',
    kind: 'SOL',
    async play(htlc) {
      const { rentPayer } = htlc.keys
      const { address: initiator } = await keyOf('initiator without an account')
      const order = await deposited(htlc, { initiator }, undefined, 5_000_007n)
      await moves(htlc, htlc.initiateDeposited(order), [
        [rentPayer.address, 7n - fullRent(htlc)],
        [initiator, 0n],
      ])
      equal(htlc.balance(order.address), htlc.rent(168) + order.terms.amount)
      // With the minimum, the initiator has an account.
      const other = await deposited(htlc, { initiator, amount: 4_000_000n }, undefined, 4_000_000n + emptyAccount)
      await moves(htlc, [htlc.initiateDeposited(other), htlc.returnDeposit(other)], [[initiator, emptyAccount]])
      const third = await deposited(htlc, { initiator, amount: 4_000_001n }, undefined, 4_000_001n + 5n)
      await moves(htlc, htlc.initiateDeposited(third), [[initiator, 5n]])
    },
  },
  {
    name: 'a deposit is locked until the second before its deadline, and from then on returned by anyone',
    async play(htlc) {
      const [order, late] = [await deposited(htlc), await deposited(htlc)]
      htlc.moveTo({ time: order.initiateBefore - 1n })
      await refused(htlc, htlc.returnDeposit(late), 'TooEarlyToReturn')
      await accepted(htlc, htlc.initiateDeposited(order))
      htlc.moveTo({ time: order.initiateBefore })
      await refused(htlc, htlc.initiateDeposited(late), 'InitiateTooLate')
      await comesBack(htlc, late)
      // More may come later, again and again.
      await htlc.deposit(late, late.terms.amount)
      await refused(htlc, htlc.initiateDeposited(late), 'InitiateTooLate')
      await comesBack(htlc, late)
    },
  },
  {
    name: 'the initiator takes its deposit back at any time, and nobody else does in its name',
    async play(htlc) {
      const order = await deposited(htlc)
      await refused(htlc, htlc.returnDeposit(order), 'TooEarlyToReturn')
      const { stranger, redeemer, relayer } = htlc.keys
      for (const { address } of [stranger, redeemer, relayer])
        await refused(htlc, withAccount(htlc.returnDeposit(order, { isSigned: true }), returnInitiatorIndex, address), 'WrongOrderAddress')
      await comesBack(htlc, order, true)
      await htlc.deposit(order, order.terms.amount)
      await accepted(htlc, htlc.initiateDeposited(order))
      isOpen(htlc, order)
    },
  },
  {
    name: 'an order locks no second payment: a deposit that comes later goes back, while it is open, settled and closed',
    async play(htlc) {
      for (const settle of [htlc.redeem, htlc.instantRefund]) {
        const order = await deposited(htlc)
        await accepted(htlc, htlc.initiateDeposited(order))
        await htlc.deposit(order, order.terms.amount)
        await refused(htlc, htlc.initiateDeposited(order), 'DuplicateOrder')
        await comesBack(htlc, order)
        await accepted(htlc, settle(order))
        await htlc.deposit(order, order.terms.amount)
        for (const time of [htlc.clock().time, order.initiateBefore - 1n]) {
          htlc.moveTo({ time })
          await refused(htlc, htlc.close(order), 'TooEarlyToClose')
          await refused(htlc, htlc.initiateDeposited(order), 'DuplicateOrder')
        }
        await comesBack(htlc, order)
        htlc.moveTo({ time: order.initiateBefore })
        await accepted(htlc, htlc.close(order))
        await htlc.deposit(order, order.terms.amount)
        await refused(htlc, htlc.initiateDeposited(order), 'InitiateTooLate')
        await comesBack(htlc, order)
      }
    },
  },
  {
    name: 'a signature for the same time counts once together with the deposit, in any order',
    async play(htlc) {
      const signedFirst = await deposited(htlc)
      await accepted(htlc, htlc.initiate(signedFirst))
      await refused(htlc, htlc.initiateDeposited(signedFirst), 'DuplicateOrder')
      await comesBack(htlc, signedFirst)
      const depositFirst = await deposited(htlc)
      await accepted(htlc, htlc.initiateDeposited(depositFirst))
      await refused(htlc, htlc.initiate(depositFirst), 'DuplicateOrder')
      await accepted(htlc, htlc.redeem(depositFirst))
      htlc.moveTo({ time: depositFirst.initiateBefore })
      await accepted(htlc, htlc.close(depositFirst))
      await refused(htlc, htlc.initiate(depositFirst), 'InitiateTooLate')
    },
  },
  {
    name: 'whoever opens the order with money of its own only gives it away: the deposit goes back',
    async play(htlc) {
      const order = await deposited(htlc)
      const { time } = htlc.clock()
      // A window of its own, which ends before the deadline of the deposit.
      await accepted(htlc, htlc.initiate({ ...order, initiateBefore: time + 10n }))
      await refused(htlc, htlc.initiateDeposited(order), 'DuplicateOrder')
      await comesBack(htlc, order)
      await pays(htlc, order, htlc.instantRefund(order), htlc.keys.initiator.address)
      await htlc.deposit(order, order.terms.amount)
      await comesBack(htlc, order)
      // After the close, the deposit of the owner can be locked once, as the owner agreed.
      htlc.moveTo({ time: time + 10n })
      await accepted(htlc, htlc.close(order))
      await htlc.deposit(order, 2n * order.terms.amount)
      await accepted(htlc, htlc.initiateDeposited(order))
      await refused(htlc, htlc.initiateDeposited(order), 'DuplicateOrder')
      await comesBack(htlc, order)
    },
  },
  {
    name: 'every term and the deadline are part of the deposit address',
    async play(htlc) {
      const order = await deposited(htlc)
      const { address: other } = await keyOf('somebody else')
      const changes: readonly Partial<OrderTerms>[] = [
        { amount: order.terms.amount - 1n },
        { timelock: order.terms.timelock + 1n },
        { redeemer: other },
        { initiator: htlc.keys.stranger.address },
        { secretHash: new Uint8Array(32) },
      ]
      const others = [
        ...changes.map((change) => htlc.newOrder({ ...order.terms, ...change }, order.initiateBefore)),
        htlc.newOrder(order.terms, order.initiateBefore + 1n),
        htlc.newOrder(order.terms, order.initiateBefore - 1n),
      ]
      for (const changed of others) {
        const { deposit, depositTokens } = order
        const initiate = withAccount(htlc.initiateDeposited({ ...changed, depositTokens }), depositIndexOf(htlc), deposit)
        await refused(htlc, initiate, 'WrongDeposit')
        const kept = withAccount(htlc.initiateDeposited({ ...changed, depositTokens }), orderIndex, order.address)
        if (changed.address !== order.address) await refused(htlc, withAccount(kept, depositIndexOf(htlc), deposit), 'WrongOrderAddress')
        const back = htlc.returnDeposit({ ...changed, deposit }, { isSigned: true })
        await refused(htlc, withAccount(back, returnDepositIndex, deposit), 'WrongDeposit')
        const sameOrder = withAccount(withAccount(back, orderIndex, order.address), returnDepositIndex, deposit)
        await refused(htlc, sameOrder, changed.address === order.address ? 'WrongDeposit' : 'WrongOrderAddress')
      }
      equal(htlc.deposited(order), order.terms.amount)
      await accepted(htlc, htlc.initiateDeposited(order))
    },
  },
  {
    name: 'a deposit has one address: that of the highest bump without a key',
    async play(htlc) {
      const order = await deposited(htlc)
      const { bump } = depositAddress(htlc.program, order.terms, order.initiateBefore)
      for (let other = 0; other < 256; other += 1) {
        const address = depositAt(htlc, order, other)
        if (other === bump) {
          equal(address, order.deposit)
          continue
        }
        if (!isOffCurveAddress(address) && other % 8 !== 0) continue
        const depositTokens = associatedTokensAt(address, htlc.mint)
        if (htlc.kind === 'SOL') htlc.putAccount(address, systemProgram, new Uint8Array(0), 10n ** 9n)
        else htlc.putTokens(depositTokens, htlc.mint, address, order.terms.amount)
        const initiate = withAccount(htlc.initiateDeposited({ ...order, depositTokens }), depositIndexOf(htlc), address)
        await refused(htlc, initiate, 'WrongDeposit')
        const back = htlc.returnDeposit({ ...order, deposit: address }, { isSigned: true })
        await refused(htlc, withAccount(back, returnDepositIndex, address), 'WrongDeposit')
      }
      await accepted(htlc, htlc.initiateDeposited(order))
    },
  },
  {
    name: 'a deposit for terms that no order can have is never locked, and goes back',
    async play(htlc) {
      const { time } = htlc.clock()
      const wrong: readonly [Partial<OrderTerms>, string][] = [
        [{ amount: 0n }, 'ZeroAmount'],
        [{ timelock: 0n }, 'InvalidTimelock'],
        [{ timelock: 2n ** 64n - 1n }, 'InvalidTimelock'],
        [{ redeemer: systemProgram }, 'ZeroAddress'],
        [{ redeemer: htlc.keys.initiator.address }, 'SameInitiatorAndRedeemer'],
      ]
      const orders: [TestOrder, string][] = []
      for (const [terms, error] of wrong) orders.push([await deposited(htlc, terms, undefined, 6_000_000n), error])
      orders.push([await deposited(htlc, {}, time + maxWindow + 1n), 'InvalidInitiateBefore'])
      for (const [order, error] of orders) {
        await refused(htlc, htlc.initiateDeposited(order), error)
        await refused(htlc, htlc.returnDeposit(order), 'TooEarlyToReturn')
      }
      for (const deadline of [time, 0n, -(2n ** 63n)]) orders.push([await deposited(htlc, {}, deadline), 'InitiateTooLate'])
      htlc.moveTo({ time: time + maxWindow + 1n })
      for (const [order] of orders) await comesBack(htlc, order)
      const never = await deposited(htlc, {}, 2n ** 63n - 1n)
      await refused(htlc, htlc.initiateDeposited(never), 'InvalidInitiateBefore')
      await refused(htlc, htlc.returnDeposit(never), 'TooEarlyToReturn')
      await comesBack(htlc, never, true)
    },
  },
  {
    name: 'an amount near the limit of 64 bits is never there',
    async play(htlc) {
      for (const amount of [2n ** 64n - 1n, 2n ** 63n]) {
        const order = await deposited(htlc, { amount }, undefined, 10n ** 8n)
        await refused(htlc, htlc.initiateDeposited(order), htlc.kind === 'SOL' ? 'DepositTooSmall' : 'code 1')
        await comesBack(htlc, order, true)
      }
    },
  },
  {
    name: 'the rent payer of a deposit must sign, and has no access to the rest',
    async play(htlc) {
      const { rentPayer } = htlc.keys
      const order = await deposited(htlc, {}, undefined, 9_000_000n)
      const initiate = htlc.initiateDeposited(order)
      const index = htlc.kind === 'SOL' ? 2 : 3
      const accounts = initiate.accounts.map((meta, i) => (i === index ? { ...meta, role: AccountRole.WRITABLE } : meta))
      await refused(htlc, { ...initiate, accounts }, 'MissingSignature')
      await accepted(htlc, initiate)
      if (htlc.kind === 'token') {
        const destination = htlc.tokensOf(rentPayer.address)
        for (const amount of [1n, 4_000_000n])
          await refused(htlc, getTransferInstruction({ source: order.depositTokens, destination, authority: rentPayer, amount }), 'code 4')
      }
      equal(htlc.deposited(order), 4_000_000n)
    },
  },
  {
    name: 'a rent payer without the rent locks nothing, whatever the deposit holds',
    async play(htlc) {
      const { stranger } = htlc.keys
      const order = await deposited(htlc, {}, undefined, 500_000_000n)
      htlc.putAccount(stranger.address, systemProgram, new Uint8Array(0), fullRent(htlc) - 1n)
      await refused(htlc, htlc.initiateDeposited(order, stranger.address), 'code 1')
      equal(htlc.deposited(order), 500_000_000n)
    },
  },
  {
    name: 'a deposit of the one kind is no deposit of the other',
    async play(htlc) {
      const order = await deposited(htlc)
      const isSol = htlc.kind === 'SOL'
      const twin = htlc.newOrder({ ...order.terms, mint: isSol ? htlc.mint : null }, order.initiateBefore)
      ok(twin.deposit !== order.deposit)
      await refused(htlc, withAccount(htlc.initiateDeposited(twin), isSol ? 2 : 1, order.deposit), 'WrongDeposit')
      const back = isSol
        ? htlc.returnDeposit(twin, { of: 'SOL', isSigned: true })
        : htlc.returnDeposit({ ...twin, deposit: order.deposit }, { isSigned: true })
      await refused(htlc, withAccount(back, returnDepositIndex, order.deposit), 'WrongDeposit')
      equal(htlc.deposited(order), order.terms.amount)
    },
  },
  {
    name: 'what is not of the order’s kind goes back at any time, and what is stays',
    async play(htlc) {
      const { stranger, relayer, initiator } = htlc.keys
      const order = await deposited(htlc)
      if (htlc.kind === 'token') {
        const pay = getTransferSolInstruction({ source: relayer, destination: order.deposit, amount: 3_000_000n })
        await accepted(htlc, pay)
        const before = htlc.balance(initiator.address)
        await accepted(htlc, htlc.returnDeposit(order, { of: 'SOL' }))
        equal(htlc.balance(initiator.address), before + 3_000_000n)
        equal(htlc.balance(order.deposit), 0n)
      } else {
        const create = getCreateAssociatedTokenIdempotentInstruction({
          payer: stranger,
          ata: order.depositTokens,
          owner: order.deposit,
          mint: htlc.mint,
        })
        const source = htlc.tokensOf(stranger.address)
        await accepted(htlc, [
          create,
          getTransferInstruction({ source, destination: order.depositTokens, authority: stranger, amount: 77n }),
        ])
        const before = [htlc.tokens(htlc.tokensOf(initiator.address)), htlc.balance(initiator.address)] as const
        await accepted(htlc, htlc.returnDeposit(order, { of: { mint: htlc.mint } }))
        equal(htlc.tokens(htlc.tokensOf(initiator.address)), before[0] + 77n)
        equal(htlc.balance(initiator.address), before[1] + htlc.rent(165))
        equal(htlc.owner(order.depositTokens), null)
      }
      await refused(htlc, htlc.returnDeposit(order), 'TooEarlyToReturn')
      await accepted(htlc, htlc.initiateDeposited(order))
    },
  },
  {
    name: 'a return names the mint of its order: another one makes no deposit foreign',
    async play(htlc) {
      const order = await deposited(htlc)
      const back = htlc.returnDeposit(order)
      const { address: other } = await keyOf('another mint')
      for (const mint of [other, order.terms.mint === null ? htlc.mint : systemProgram]) {
        const data = Uint8Array.of(...back.data.slice(0, -32), ...getAddressEncoder().encode(mint))
        await refused(htlc, withData(back, data), 'WrongOrderAddress')
      }
      for (const data of [back.data.slice(0, -1), Uint8Array.of(...back.data, 0)])
        await refused(htlc, withData(back, data), 'InvalidInstruction')
      equal(htlc.deposited(order), order.terms.amount)
    },
  },
  {
    name: 'an account that only looks like the opened order returns nothing early',
    async play(htlc) {
      const order = await deposited(htlc)
      const opened = await htlc.open()
      const data = htlc.data(opened.address) ?? new Uint8Array(0)
      htlc.putAccount(order.address, htlc.keys.stranger.address, data)
      await refused(htlc, htlc.returnDeposit(order), 'TooEarlyToReturn')
      htlc.putAccount(order.address, htlc.program, new Uint8Array(data.length))
      await refused(htlc, htlc.returnDeposit(order), 'TooEarlyToReturn')
      await refused(htlc, withAccount(htlc.returnDeposit(order), orderIndex, opened.address), 'WrongOrderAddress')
      htlc.putAccount(order.address, systemProgram, new Uint8Array(0), 10n ** 9n)
      await refused(htlc, htlc.returnDeposit(order), 'TooEarlyToReturn')
      await accepted(htlc, htlc.initiateDeposited(order))
    },
  },
  {
    name: 'only the associated account of the deposit funds an order, and any token account of it is returned',
    kind: 'token',
    async play(htlc) {
      const { stranger } = htlc.keys
      const order = htlc.newOrder()
      const { address: second } = await keyOf('second account of the deposit')
      htlc.putTokens(second, htlc.mint, order.deposit, order.terms.amount)
      await refused(htlc, htlc.initiateDeposited({ ...order, depositTokens: second }), 'WrongDeposit')
      for (const tokens of [htlc.tokensOf(stranger.address), htlc.tokensOf(order.terms.initiator)]) {
        await refused(htlc, htlc.initiateDeposited({ ...order, depositTokens: tokens }), 'WrongDeposit')
        await refused(htlc, htlc.returnDeposit(order, { isSigned: true, of: { mint: htlc.mint, tokens } }), 'WrongDeposit')
      }
      const back = htlc.returnDeposit(order, { isSigned: true, of: { mint: htlc.mint, tokens: second } })
      await moves(htlc, back, [[order.terms.initiator, order.terms.amount]])
    },
  },
  {
    name: 'returned tokens go to the associated account of the initiator alone, and so does the rent',
    kind: 'token',
    async play(htlc) {
      const order = await deposited(htlc)
      htlc.moveTo({ time: order.initiateBefore })
      const { redeemer, stranger, initiator, relayer } = htlc.keys
      const { address: second } = await keyOf('second account of the initiator')
      htlc.putTokens(second, htlc.mint, initiator.address, 0n)
      for (const payee of [
        second,
        htlc.tokensOf(redeemer.address),
        htlc.tokensOf(stranger.address),
        order.depositTokens,
        initiator.address,
      ])
        await refused(htlc, withAccount(htlc.returnDeposit(order), returnPayeeIndex, payee), 'WrongPayee')
      const lamports = [initiator, relayer].map(({ address }) => htlc.balance(address)) as [bigint, bigint]
      await comesBack(htlc, order)
      equal(htlc.balance(initiator.address), lamports[0] + htlc.rent(165))
      equal(htlc.balance(relayer.address), lamports[1] - 5_000n)
      equal(htlc.owner(order.depositTokens), null)
      // Nobody but the initiator gains by doing this again.
      await refused(htlc, htlc.returnDeposit(order), 'WrongTokenProgram')
      const payer = stranger
      await accepted(
        htlc,
        getCreateAssociatedTokenIdempotentInstruction({ payer, ata: order.depositTokens, owner: order.deposit, mint: htlc.mint }),
      )
      const before = htlc.balance(stranger.address)
      await accepted(htlc, htlc.returnDeposit(order))
      equal(htlc.balance(stranger.address), before)
    },
  },
  {
    name: 'a return waits for an associated account of the initiator that exists and was not given away',
    kind: 'token',
    async play(htlc) {
      const order = await deposited(htlc)
      htlc.moveTo({ time: order.initiateBefore })
      const { initiator, stranger } = htlc.keys
      const tokens = htlc.tokensOf(initiator.address)
      const given = { owned: tokens, authorityType: AuthorityType.AccountOwner }
      await accepted(htlc, getSetAuthorityInstruction({ ...given, owner: initiator, newAuthority: stranger.address }))
      await refused(htlc, htlc.returnDeposit(order), 'WrongPayee')
      await accepted(htlc, getSetAuthorityInstruction({ ...given, owner: stranger, newAuthority: initiator.address }))
      const { address: newcomer } = await keyOf('initiator without tokens')
      const other = await deposited(htlc, { initiator: newcomer })
      htlc.moveTo({ time: other.initiateBefore })
      await refused(htlc, htlc.returnDeposit(other), 'WrongPayee')
      const ata = associatedTokensAt(newcomer, htlc.mint)
      const create = getCreateAssociatedTokenIdempotentInstruction({ payer: stranger, ata, owner: newcomer, mint: htlc.mint })
      await accepted(htlc, [create, htlc.returnDeposit(other)])
      equal(htlc.tokens(ata), other.terms.amount)
      await comesBack(htlc, order)
    },
  },
  {
    name: 'a frozen deposit waits and loses nothing',
    kind: 'token',
    async play(htlc) {
      const order = await deposited(htlc)
      const { stranger: owner } = htlc.keys
      const frozen = { account: order.depositTokens, mint: htlc.mint, owner }
      await accepted(htlc, getFreezeAccountInstruction(frozen))
      await refused(htlc, htlc.initiateDeposited(order), 'code 17')
      await refused(htlc, htlc.returnDeposit(order, { isSigned: true }), 'code 17')
      htlc.moveTo({ time: order.initiateBefore })
      await refused(htlc, htlc.returnDeposit(order), 'code 17')
      await accepted(htlc, getThawAccountInstruction(frozen))
      await comesBack(htlc, order)
    },
  },
  {
    name: 'lamports that were sent to order and vault before do not keep a deposit from being locked',
    async play(htlc) {
      for (const gift of [1n, emptyAccount, 10n ** 9n]) {
        const order = await deposited(htlc)
        htlc.putAccount(order.address, systemProgram, new Uint8Array(0), gift)
        if (htlc.kind === 'token') htlc.putAccount(order.vault, systemProgram, new Uint8Array(0), gift)
        await accepted(htlc, htlc.initiateDeposited(order))
        isOpen(htlc, order)
        await pays(htlc, order, htlc.redeem(order), htlc.keys.redeemer.address)
      }
    },
  },
  {
    name: 'two deposits are locked in one transaction, each in its own order',
    async play(htlc) {
      const [one, two] = [await deposited(htlc, { amount: 3_000_000n }), await deposited(htlc, { amount: 7_000_000n })]
      const depositIndex = depositIndexOf(htlc)
      const crossed = withAccount(htlc.initiateDeposited({ ...one, depositTokens: two.depositTokens }), depositIndex, two.deposit)
      await refused(htlc, [htlc.initiateDeposited(two), crossed], 'WrongDeposit')
      await accepted(htlc, [htlc.initiateDeposited(one), htlc.initiateDeposited(two)])
      for (const order of [one, two]) {
        isOpen(htlc, order)
        await pays(htlc, order, htlc.redeem(order), htlc.keys.redeemer.address)
      }
    },
  },
  {
    name: 'who comes second locks nothing: neither the rest nor a part of it',
    async play(htlc) {
      const { stranger, relayer } = htlc.keys
      const order = await deposited(htlc, {}, undefined, 15_000_000n)
      await accepted(htlc, htlc.initiateDeposited(order, stranger.address))
      const before = [htlc.deposited(order), htlc.balance(stranger.address)]
      await refused(htlc, htlc.initiateDeposited(order), 'DuplicateOrder')
      await refused(htlc, htlc.initiateDeposited(order, relayer.address), 'DuplicateOrder')
      deepEqual([htlc.deposited(order), htlc.balance(stranger.address)], before)
      await comesBack(htlc, order)
    },
  },
  {
    name: 'the least that an account may keep follows the cluster',
    kind: 'SOL',
    async play(htlc) {
      const { initiator } = htlc.keys
      const rent = htlc.svm.getRent()
      htlc.svm.setRent(new Rent(1_740n, 2, 50))
      const [stays, goes] = [await deposited(htlc, {}, undefined, 5_445_440n), await deposited(htlc, {}, undefined, 5_445_439n)]
      await moves(htlc, htlc.initiateDeposited(stays), [[initiator.address, 0n]])
      await moves(htlc, htlc.initiateDeposited(goes), [[initiator.address, 445_439n]])
      htlc.svm.setRent(new Rent(6_960n, 3, 50))
      const order = await deposited(htlc)
      await refused(htlc, htlc.initiateDeposited(order), 'UnknownRent')
      // A cluster that we do not know keeps nobody's money.
      await comesBack(htlc, order, true)
      htlc.svm.setRent(rent)
    },
  },
  {
    name: 'the token account of a deposit can be returned empty: then its rent goes to the initiator',
    kind: 'token',
    async play(htlc) {
      const order = await deposited(htlc)
      const { initiator } = htlc.keys
      await accepted(htlc, htlc.initiateDeposited(order))
      equal(htlc.tokens(order.depositTokens), 0n)
      const before = htlc.balance(initiator.address)
      await accepted(htlc, htlc.returnDeposit(order))
      equal(htlc.balance(initiator.address), before + htlc.rent(165))
    },
  },
]

/** The address may have a key: that depends on the bump. */
function depositAt({ program }: HtlcFixture, { address, initiateBefore }: TestOrder, bump: number): Address {
  const bytes = getAddressEncoder()
  const parts: readonly ReadonlyUint8Array[] = [
    bytes.encode(address),
    getI64Encoder().encode(initiateBefore),
    Uint8Array.of(bump),
    bytes.encode(program),
  ]
  const hash = createHash('sha256').update('deposit')
  for (const part of parts) hash.update(Uint8Array.from(part))
  return getAddressDecoder().decode(hash.update('ProgramDerivedAddress').digest())
}
