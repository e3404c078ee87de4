// Tests what an initiation does, and which initiations are refused.
import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { AccountRole, type Address, getAddressDecoder, getAddressEncoder, getU64Encoder } from '@solana/kit'
import { Rent } from 'litesvm'
import { type OrderTerms, orderAddress } from '../client/addresses.ts'
import { systemProgram } from '../client/programs.ts'
import { type HtlcFixture, initiateWindow, keyOf, withAccount } from './order.ts'
import { accepted, fullRent, isOpen, moves, orderSize, refused, type Scenario, wrongVault } from './scenario.ts'

const maxTimelock = 6_480_000n
const maxWindow = 2_592_000n

export const initiateScenarios: readonly Scenario[] = [
  {
    name: 'the funder pays the amount and the rent payer pays the rent',
    async play(htlc) {
      const { funder, rentPayer, initiator } = htlc.keys
      const order = htlc.newOrder()
      const before = { rent: htlc.balance(rentPayer.address), initiator: htlc.balance(initiator.address) }
      await moves(htlc, htlc.initiate(order), [[funder.address, -order.terms.amount]])
      equal(htlc.balance(rentPayer.address), before.rent - fullRent(htlc))
      equal(htlc.balance(initiator.address), before.initiator)
      equal(htlc.balance(order.address), htlc.rent(orderSize(htlc)) + (htlc.kind === 'SOL' ? order.terms.amount : 0n))
      equal(htlc.tokens(order.vault), htlc.kind === 'SOL' ? 0n : order.terms.amount)
      equal(htlc.owner(order.address), htlc.program)
    },
  },
  {
    name: 'the account of the order says all of its terms',
    async play(htlc) {
      const order = await htlc.open({ timelock: 77n, amount: 1_234_567n })
      const { initiator, redeemer, secretHash, amount, timelock, mint } = order.terms
      deepEqual(htlc.state(order), {
        status: 'open',
        initiator,
        redeemer,
        amount,
        timelock,
        mint,
        secretHash: Uint8Array.from(secretHash),
        initiatedSlot: htlc.clock().slot,
        initiateBefore: order.initiateBefore,
        rentPayer: htlc.keys.rentPayer.address,
        vault: htlc.kind === 'SOL' ? null : order.vault,
      })
    },
  },
  {
    name: 'one key can pay amount and rent, and be the initiator',
    async play(htlc) {
      const { initiator } = htlc.keys
      const order = htlc.newOrder()
      const rent = fullRent(htlc)
      const lamports = htlc.balance(initiator.address)
      const change = htlc.kind === 'SOL' ? -order.terms.amount - rent : -order.terms.amount
      await moves(htlc, htlc.initiate(order, initiator.address, initiator.address), [[initiator.address, change]])
      if (htlc.kind === 'token') equal(htlc.balance(initiator.address), lamports - rent)
      isOpen(htlc, order)
    },
  },
  {
    name: 'terms that make no sense are refused',
    async play(htlc) {
      const { time } = htlc.clock()
      const zero = systemProgram
      const wrong: readonly [Partial<OrderTerms>, string][] = [
        [{ amount: 0n }, 'ZeroAmount'],
        [{ timelock: 0n }, 'InvalidTimelock'],
        [{ timelock: maxTimelock + 1n }, 'InvalidTimelock'],
        [{ timelock: 2n ** 64n - 1n }, 'InvalidTimelock'],
        [{ redeemer: zero }, 'ZeroAddress'],
        [{ initiator: zero }, 'ZeroAddress'],
        [{ redeemer: htlc.keys.initiator.address }, 'SameInitiatorAndRedeemer'],
      ]
      for (const [terms, error] of wrong) await refused(htlc, htlc.initiate(htlc.newOrder(terms)), error)
      const late: readonly [bigint, string][] = [
        [time, 'InitiateTooLate'],
        [time - 1n, 'InitiateTooLate'],
        [0n, 'InitiateTooLate'],
        [-(2n ** 63n), 'InitiateTooLate'],
        [time + maxWindow + 1n, 'InvalidInitiateBefore'],
        [2n ** 63n - 1n, 'InvalidInitiateBefore'],
      ]
      for (const [initiateBefore, error] of late) await refused(htlc, htlc.initiate(htlc.newOrder({}, initiateBefore)), error)
    },
  },
  {
    name: 'the shortest and the longest terms are accepted',
    async play(htlc) {
      const { time } = htlc.clock()
      for (const timelock of [1n, maxTimelock]) isOpen(htlc, await htlc.open({ timelock }))
      for (const initiateBefore of [time + 1n, time + maxWindow]) isOpen(htlc, await htlc.open({}, initiateBefore))
      isOpen(htlc, await htlc.open({ amount: 1n }))
    },
  },
  {
    name: 'funder and rent payer must sign',
    async play(htlc) {
      const order = htlc.newOrder()
      const initiate = htlc.initiate(order)
      for (const [index, meta] of initiate.accounts.entries()) {
        if (meta.role < AccountRole.READONLY_SIGNER) continue
        const role = meta.role === AccountRole.WRITABLE_SIGNER ? AccountRole.WRITABLE : AccountRole.READONLY
        const unsigned = { ...initiate, accounts: initiate.accounts.map((other, i) => (i === index ? { ...other, role } : other)) }
        await refused(htlc, unsigned, 'MissingSignature')
      }
    },
  },
  {
    name: 'the same terms cannot be initiated twice',
    async play(htlc) {
      const { initiator, stranger } = htlc.keys
      const order = await htlc.open()
      await refused(htlc, htlc.initiate(order), 'DuplicateOrder')
      await refused(htlc, htlc.initiate({ ...order, initiateBefore: order.initiateBefore + 1n }), 'DuplicateOrder')
      await refused(htlc, htlc.initiate(order, initiator.address, stranger.address), 'DuplicateOrder')
      isOpen(htlc, order)
    },
  },
  {
    name: 'lamports that were sent to the address before do not get in the way',
    async play(htlc) {
      const { rentPayer } = htlc.keys
      for (const gift of [1n, htlc.rent(0), 10n ** 9n]) {
        const order = htlc.newOrder()
        // Nobody can send less than the rent of an empty account, but a larger balance can be reduced to less.
        htlc.putAccount(order.address, systemProgram, new Uint8Array(0), gift)
        if (htlc.kind === 'token') htlc.putAccount(order.vault, systemProgram, new Uint8Array(0), gift)
        const before = htlc.balance(rentPayer.address)
        await moves(htlc, htlc.initiate(order), [[htlc.keys.funder.address, -order.terms.amount]])
        equal(htlc.balance(rentPayer.address), before - fullRent(htlc))
        equal(htlc.balance(order.address), gift + htlc.rent(orderSize(htlc)) + (htlc.kind === 'SOL' ? order.terms.amount : 0n))
        isOpen(htlc, order)
        await accepted(htlc, htlc.redeem(order))
      }
    },
  },
  {
    name: 'every term is part of the address',
    async play(htlc) {
      const order = htlc.newOrder()
      const other = await keyOf('somebody else')
      const changes: readonly Partial<OrderTerms>[] = [
        { amount: order.terms.amount + 1n },
        { timelock: order.terms.timelock + 1n },
        { redeemer: other.address },
        { initiator: other.address },
        { secretHash: new Uint8Array(32) },
        ...(htlc.kind === 'token' ? [{ mint: await secondMint(htlc) }] : []),
      ]
      for (const change of changes) {
        const changed = { ...order, terms: { ...order.terms, ...change } }
        notEqual(orderAddress(htlc.program, changed.terms).address, order.address)
        const initiate = htlc.initiate(changed)
        await refused(htlc, withAccount(initiate, 0, order.address), 'WrongOrderAddress')
        // The prefunded case takes another path in the program.
        htlc.putAccount(order.address, systemProgram, new Uint8Array(0), htlc.rent(0))
        await refused(htlc, withAccount(initiate, 0, order.address), 'WrongOrderAddress')
        htlc.putAccount(order.address, systemProgram, new Uint8Array(0), 0n)
      }
    },
  },
  {
    name: 'an account with a key is neither an order nor a vault, even if it signs',
    async play(htlc) {
      const { stranger } = htlc.keys
      const asSigner = (index: number) => {
        const initiate = withAccount(htlc.initiate(htlc.newOrder()), index, stranger.address)
        const accounts = initiate.accounts.map((meta, i) => (i === index ? { ...meta, role: AccountRole.WRITABLE_SIGNER } : meta))
        return { ...initiate, accounts }
      }
      htlc.putAccount(stranger.address, systemProgram, new Uint8Array(0), 0n)
      await refused(htlc, asSigner(0), 'WrongOrderAddress')
      if (htlc.kind === 'token') await refused(htlc, asSigner(1), wrongVault)
      htlc.putAccount(stranger.address, systemProgram, new Uint8Array(0), 10n ** 12n)
      await refused(htlc, asSigner(0), 'WrongOrderAddress')
      if (htlc.kind === 'token') await refused(htlc, asSigner(1), wrongVault)
    },
  },
  {
    name: 'an order has one address: that of the highest bump without a key',
    async play(htlc) {
      const order = htlc.newOrder()
      const { bump } = orderAddress(htlc.program, order.terms)
      const initiate = htlc.initiate(order)
      for (let other = 0; other < 256; other += 1)
        if (other !== bump) await refused(htlc, withAccount(initiate, 0, orderAt(htlc, order.terms, other)), 'WrongOrderAddress')
      equal(orderAt(htlc, order.terms, bump), order.address)
    },
  },
  {
    name: 'who cannot pay cannot initiate',
    async play(htlc) {
      const order = htlc.newOrder({ amount: 10n ** 15n })
      await refused(htlc, htlc.initiate(order), 'code 1')
      equal(htlc.owner(order.address), null)
    },
  },
  {
    name: 'an amount near the limit of 64 bits does not wrap around',
    kind: 'SOL',
    async play(htlc) {
      await refused(htlc, htlc.initiate(htlc.newOrder({ amount: 2n ** 64n - 1n })), 'AmountTooLarge')
      await refused(htlc, htlc.initiate(htlc.newOrder({ amount: 2n ** 64n - htlc.rent(168) })), 'AmountTooLarge')
      const { funder } = htlc.keys
      const largest = htlc.newOrder({ amount: 2n ** 64n - 1n - htlc.rent(168) })
      await refused(htlc, htlc.initiate(largest, funder.address, funder.address), 'code 1')
    },
  },
  {
    name: 'the rent follows the cluster',
    async play(htlc) {
      const rent = htlc.svm.getRent()
      for (const [perByte, threshold] of [
        [3_480n, 2],
        [6_960n, 1],
        [696n, 1],
      ] as const) {
        htlc.svm.setRent(new Rent(perByte, threshold, 50))
        const before = htlc.balance(htlc.keys.rentPayer.address)
        isOpen(htlc, await htlc.open())
        equal(htlc.balance(htlc.keys.rentPayer.address), before - fullRent(htlc))
      }
      htlc.svm.setRent(new Rent(6_960n, 3, 50))
      await refused(htlc, htlc.initiate(htlc.newOrder()), 'UnknownRent')
      htlc.svm.setRent(rent)
    },
  },
  {
    name: 'the window to initiate ends at its second',
    async play(htlc) {
      const { time } = htlc.clock()
      const [inTime, late] = [htlc.newOrder(), htlc.newOrder()] as const
      htlc.moveTo({ time: time + initiateWindow - 1n })
      await accepted(htlc, htlc.initiate(inTime))
      htlc.moveTo({ time: time + initiateWindow })
      await refused(htlc, htlc.initiate(late), 'InitiateTooLate')
    },
  },
]

/** The address may have a key: that depends on the bump. */
function orderAt({ program }: HtlcFixture, { initiator, redeemer, secretHash, amount, timelock, mint }: OrderTerms, bump: number): Address {
  const [bytes, u64] = [getAddressEncoder(), getU64Encoder()]
  const hash = createHash('sha256').update(mint === null ? 'htlc' : 'htlc_token')
  const ofMint = mint === null ? [] : [bytes.encode(mint)]
  const seeds = [bytes.encode(initiator), bytes.encode(redeemer), secretHash, u64.encode(amount), u64.encode(timelock), ...ofMint]
  for (const part of [...seeds, Uint8Array.of(bump), bytes.encode(program)]) hash.update(Uint8Array.from(part))
  return getAddressDecoder().decode(hash.update('ProgramDerivedAddress').digest())
}

async function secondMint(htlc: HtlcFixture): Promise<Address> {
  const { address } = await keyOf('second mint')
  htlc.putMint(address)
  return address
}
