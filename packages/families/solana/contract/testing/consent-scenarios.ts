// Tests instant refunds by a signature of the redeemer: what it is bound to, where it stands, and that anyone may send it.
import { equal, ok } from 'node:assert/strict'
import { AccountRole, type Address, type Instruction } from '@solana/kit'
import { htlcProgram } from '../artifacts/htlc.ts'
import { orderAddress } from '../client/addresses.ts'
import { consentInstruction, consentMessage, type Initiation } from '../client/consent.ts'
import { initiateSol, instantRefundSol } from '../client/instructions.ts'
import { instructionsSysvar } from '../client/programs.ts'
import { createAcceptor } from './acceptor.ts'
import { type HtlcFixture, keyOf, type TestOrder, withAccount } from './order.ts'
import { accepted, isOpen, pays, refused, type Scenario } from './scenario.ts'
import { signMessage } from './svm.ts'

const signed = (htlc: HtlcFixture, order: TestOrder): readonly Instruction[] => [htlc.consent(order), htlc.consentedRefund(order)]

/** The redeemer signs these bytes, whatever they are. */
function consentTo(signer: Address, message: Uint8Array): Instruction {
  return consentInstruction(signer, signMessage(signer, message), message)
}

function initiationOf(htlc: HtlcFixture, order: TestOrder): Initiation {
  const state = htlc.state(order)
  if (state === null) throw new Error('an order that was never initiated has no slot')
  return state
}

function withByte(instruction: Instruction, at: number, change: (byte: number) => number): Instruction {
  const data = Uint8Array.from(instruction.data ?? [])
  data[at] = change(data[at] ?? 0) & 0xff
  return { ...instruction, data }
}

export const consentScenarios: readonly Scenario[] = [
  {
    name: 'anyone refunds at once with the signed consent of the redeemer, which signs no transaction',
    async play(htlc) {
      const [order, other] = [await htlc.open(), await htlc.open()]
      await pays(htlc, order, signed(htlc, order), htlc.keys.initiator.address)
      equal(htlc.state(order)?.status, 'refunded')
      isOpen(htlc, other)
    },
  },
  {
    name: 'two orders are refunded in one transaction, each after its consent',
    async play(htlc) {
      const [one, two] = [await htlc.open(), await htlc.open({ amount: 7_000_000n })]
      await refused(htlc, [htlc.consent(two), htlc.consent(one), htlc.consentedRefund(one), htlc.consentedRefund(two)], 'MissingConsent')
      await accepted(htlc, [...signed(htlc, one), ...signed(htlc, two)])
      equal(htlc.state(two)?.status, 'refunded')
    },
  },
  {
    name: 'a consent is of the redeemer and of nobody else',
    async play(htlc) {
      const order = await htlc.open()
      for (const { address } of [htlc.keys.initiator, htlc.keys.stranger, htlc.keys.relayer])
        await refused(htlc, [htlc.consent(order, address), htlc.consentedRefund(order)], 'MissingConsent')
      isOpen(htlc, order)
    },
  },
  {
    name: 'a consent counts for one order only',
    async play(htlc) {
      const [order, other] = [await htlc.open(), await htlc.open({ amount: 5_000_001n })]
      await refused(htlc, [htlc.consent(other), htlc.consentedRefund(order)], 'MissingConsent')
      const { initiatedSlot, initiateBefore } = initiationOf(htlc, order)
      const { redeemer } = order.terms
      for (const message of [
        consentMessage(order.address, { initiatedSlot: initiatedSlot + 1n, initiateBefore }),
        consentMessage(order.address, { initiatedSlot, initiateBefore: initiateBefore + 1n }),
        consentMessage(other.address, { initiatedSlot, initiateBefore }),
      ])
        await refused(htlc, [consentTo(redeemer, message), htlc.consentedRefund(order)], 'MissingConsent')
      isOpen(htlc, order)
    },
  },
  {
    name: 'a consent does not count at another deployment',
    kind: 'SOL',
    async play(htlc) {
      const order = await htlc.open()
      const { address: twin } = await keyOf('twin program')
      htlc.svm.addProgram(twin, Buffer.from(htlcProgram.base64, 'base64'))
      const { initiator } = order.terms
      const { funder, rentPayer } = htlc.keys
      const initiation = { funder: funder.address, rentPayer: rentPayer.address, initiateBefore: order.initiateBefore }
      await accepted(htlc, initiateSol(twin, { ...order.terms, mint: null }, initiation))
      const there = orderAddress(twin, order.terms).address
      const refund = instantRefundSol(twin, there, initiator, instructionsSysvar)
      await refused(htlc, [htlc.consent(order), refund], 'MissingConsent')
      await accepted(htlc, [consentTo(order.terms.redeemer, consentMessage(there, initiationOf(htlc, order))), refund])
    },
  },
  {
    name: 'a consent ends with its order, also if the same terms are initiated again',
    async play(htlc) {
      const order = await htlc.open()
      const consent = htlc.consent(order)
      await accepted(htlc, [consent, htlc.consentedRefund(order)])
      await refused(htlc, [consent, htlc.consentedRefund(order)], 'OrderSettled')
      htlc.moveTo({ time: order.initiateBefore, slot: htlc.clock().slot + 1n })
      await accepted(htlc, htlc.close(order))
      await refused(htlc, [consent, htlc.consentedRefund(order)], 'OrderNotInitiated')
      const again = { ...order, initiateBefore: order.initiateBefore + 3_600n }
      await accepted(htlc, htlc.initiate(again))
      await refused(htlc, [consent, htlc.consentedRefund(again)], 'MissingConsent')
      isOpen(htlc, again)
    },
  },
  {
    name: 'a consent is void once the order is redeemed',
    async play(htlc) {
      const order = await htlc.open()
      const both = signed(htlc, order)
      await accepted(htlc, htlc.redeem(order))
      await refused(htlc, both, 'OrderSettled')
    },
  },
  {
    name: 'a consent stands right before the refund that it permits',
    async play(htlc) {
      const order = await htlc.open()
      const [consent, refund] = [htlc.consent(order), htlc.consentedRefund(order)]
      const other = htlc.initiate(htlc.newOrder())
      await refused(htlc, refund, 'MissingConsent')
      await refused(htlc, [refund, consent], 'MissingConsent')
      await refused(htlc, [consent, other, refund], 'MissingConsent')
      isOpen(htlc, order)
    },
  },
  {
    name: 'a consent is an instruction of the Ed25519 program',
    async play(htlc) {
      const order = await htlc.open()
      const consent = htlc.consent(order)
      const { address: programAddress } = await keyOf('accepts everything')
      htlc.svm.addProgram(programAddress, createAcceptor())
      const elsewhere = { ...consent, programAddress }
      await accepted(htlc, elsewhere)
      await refused(htlc, [elsewhere, htlc.consentedRefund(order)], 'MissingConsent')
      isOpen(htlc, order)
    },
  },
  {
    name: 'a wrong signature fails the transaction',
    async play(htlc) {
      const order = await htlc.open()
      for (const at of [48, 79, 80, 111]) {
        const { error } = await htlc.sendSigned([withByte(htlc.consent(order), at, (byte) => byte ^ 1), htlc.consentedRefund(order)])
        ok(error !== null)
      }
      isOpen(htlc, order)
    },
  },
  {
    name: 'every byte of a consent counts',
    async play(htlc) {
      const order = await htlc.open()
      const { length } = htlc.consent(order).data ?? []
      for (let at = 0; at < length; at += 1) {
        const { error } = await htlc.sendSigned([withByte(htlc.consent(order), at, (byte) => byte + 1), htlc.consentedRefund(order)])
        ok(error !== null, `byte ${at}`)
      }
      const consent = htlc.consent(order)
      const longer = { ...consent, data: Uint8Array.of(...(consent.data ?? []), 0) }
      await refused(htlc, [longer, htlc.consentedRefund(order)], 'MissingConsent')
      const message = consentMessage(order.address, initiationOf(htlc, order))
      for (let at = 0; at < message.length; at += 1) {
        const other = message.map((byte, index) => (index === at ? byte ^ 0x80 : byte))
        await refused(htlc, [consentTo(order.terms.redeemer, other), htlc.consentedRefund(order)], 'MissingConsent')
      }
      for (const other of [message.slice(0, -1), Uint8Array.of(...message, 0), new Uint8Array(0)])
        await refused(htlc, [consentTo(order.terms.redeemer, other), htlc.consentedRefund(order)], 'MissingConsent')
      isOpen(htlc, order)
    },
  },
  {
    name: 'key and message of a consent are where the signature is verified',
    async play(htlc) {
      const order = await htlc.open()
      const { stranger } = htlc.keys
      const message = consentMessage(order.address, initiationOf(htlc, order))
      // The stranger signs, and the verified key is its own: the bytes where the redeemer's key belongs are not verified by anybody.
      const real = consentTo(stranger.address, message)
      const shown = htlc.consent(order)
      for (const place of [0, 1]) {
        const head = new DataView(new ArrayBuffer(16))
        head.setUint8(0, 1)
        const places = [48, place, 16, place, 112, message.length, place]
        for (const [index, value] of places.entries()) head.setUint16(2 + 2 * index, value, true)
        const pointing = { ...shown, data: Uint8Array.from([...new Uint8Array(head.buffer), ...(shown.data ?? []).slice(16)]) }
        const list = place === 0 ? [real, pointing, htlc.consentedRefund(order)] : [pointing, real, htlc.consentedRefund(order)]
        await refused(htlc, list, 'MissingConsent')
      }
      isOpen(htlc, order)
    },
  },
  {
    name: 'an account that is not the sysvar shows no consent',
    async play(htlc) {
      const order = await htlc.open()
      const refund = htlc.consentedRefund(order)
      const last = refund.accounts.length - 1
      const { address } = await keyOf('looks like the sysvar')
      htlc.putAccount(address, (await keyOf('owner')).address, new Uint8Array(400))
      const forged = withAccount(refund, last, address)
      await refused(htlc, [htlc.consent(order), forged], 'NotTheRedeemer')
      const asRedeemer = withAccount(refund, last, order.terms.redeemer)
      equal(asRedeemer.accounts[last]?.role, AccountRole.READONLY)
      await refused(htlc, [htlc.consent(order), asRedeemer], 'MissingSignature')
      isOpen(htlc, order)
    },
  },
  {
    name: 'a refund by consent pays nobody but the initiator',
    async play(htlc) {
      const order = await htlc.open()
      const payeeIndex = htlc.kind === 'SOL' ? 1 : 2
      for (const { address } of [htlc.keys.redeemer, htlc.keys.funder, htlc.keys.stranger])
        await refused(htlc, [htlc.consent(order), withAccount(htlc.consentedRefund(order), payeeIndex, htlc.payee(address))], 'WrongPayee')
      isOpen(htlc, order)
    },
  },
]
