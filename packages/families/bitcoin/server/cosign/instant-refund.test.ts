// Tests instant refunds: signing, refused signatures, and validation by the simulated chain.
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { RawWitness } from '@scure/btc-signer'
import { createMemoryOutbox, type MemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '@tandem/protocol/order.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { walletAddress } from '../../terms/script/address.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { randomSigner, regtest } from '../bitcoin.fixture.ts'
import { parseTransaction } from '../script/transaction.ts'
import { chain, type Fixture, failure, startFixture } from '../wallet/manual-mining.fixture.ts'
import { instantRefundOf, proposeAndSign, signEach, signTogether, waysToSign } from './cosign.fixture.ts'
import {
  answerInstantRefund,
  beginInstantRefund,
  combineInstantRefund,
  instantRefundHashes,
  proposeInstantRefunds,
  readInstantRefund,
  signInstantRefund,
  verifyInitiatorSignature,
} from './instant-refund.ts'

const invalid = (code: string, message: RegExp) => expect.objectContaining({ code, message: expect.stringMatching(message) })

describe('an instant refund', () => {
  const [initiator, redeemer] = [randomSigner(), randomSigner()]
  const termsOf = (timelock: bigint): HtlcTerms => ({
    asset: 'bitcoin_regtest:btc',
    initiator: identityOf(initiator),
    redeemer: identityOf(redeemer),
    amount: 200_000n,
    secretHash: hashSecret(createSecret()),
    timelock,
  })
  const terms = termsOf(20n)
  const to = walletAddress(randomSigner().publicKey, regtest)
  const refundOf = (vout: number): InstantRefund => ({ deposit: `${'ab'.repeat(32)}:${vout}`, amount: 150_000n, to, pays: 149_000n })
  const [first, second] = [refundOf(0), refundOf(1)]
  const begin = (refunds: readonly InstantRefund[]) => beginInstantRefund(regtest, terms, refunds, initiator)
  const answer = (refunds: readonly InstantRefund[], nonces: readonly string[], of = terms) =>
    answerInstantRefund(regtest, of, refunds, nonces, redeemer)

  const others: Readonly<Record<string, InstantRefund>> = {
    'another output': { ...first, pays: first.pays - 1n },
    'another address': { ...first, to: walletAddress(redeemer.publicKey, regtest) },
    'another amount': { ...first, amount: first.amount + 1n },
    'another deposit': second,
  }

  it('is one key path signature over one deposit and its output, made in one round trip', () => {
    const session = begin([first, second])
    const signed = session.finish(answer([first, second], session.nonces))
    expect(signed.map(({ signature, ...refund }) => refund)).toEqual([first, second])
    for (const refund of signed) {
      const witness = readInstantRefund(regtest, terms, refund)
      expect(witness?.map((item) => [item.length, item.at(-1)])).toEqual([[65, 0x83]])
      expect(readInstantRefund(regtest, termsOf(21n), refund)).toBeNull()
    }
    for (const [name, other] of Object.entries(others)) {
      expect(readInstantRefund(regtest, terms, { ...other, signature: signed[0]?.signature ?? '' }), name).toBeNull()
    }
  })

  it('takes new nonces for every signing, and each signing ends with its first finish', () => {
    const [session, again] = [begin([first]), begin([first])]
    expect(again.nonces).not.toEqual(session.nonces)
    const answers = answer([first], session.nonces)
    // After a retried request with old nonces the redeemer answers anew, and its earlier answer is useless.
    const retried = answer([first], session.nonces)
    expect(retried[0]?.nonce).not.toBe(answers[0]?.nonce)
    expect(() => again.finish(answers)).toThrow(invalid('invalid_signature', /redeemer's part/))
    expect(session.finish(retried)).toHaveLength(1)
    for (const over of [session, again]) expect(() => over.finish(answers)).toThrow('is finished')
  })

  it('is refused when answers are missing, too many, reordered, or of another order', () => {
    const attempt = (change: (nonces: readonly string[]) => Parameters<ReturnType<typeof begin>['finish']>[0]) => {
      const session = begin([first, second])
      return () => session.finish(change(session.nonces))
    }
    const both = [first, second]
    expect(attempt((nonces) => answer([first], nonces.slice(0, 1)))).toThrow(invalid('bad_request', /2 deposits, got 1/))
    expect(attempt((nonces) => [...answer(both, nonces), ...answer([first], nonces.slice(0, 1))])).toThrow(invalid('bad_request', /got 3/))
    expect(attempt((nonces) => answer(both, nonces).toReversed())).toThrow(invalid('invalid_signature', /:0 is wrong/))
    expect(attempt((nonces) => answer([second, first], nonces))).toThrow(invalid('invalid_signature', /:0 is wrong/))
    expect(attempt((nonces) => answer(both, nonces.toReversed()))).toThrow(invalid('invalid_signature', /:0 is wrong/))
    expect(attempt((nonces) => answer(both, nonces, termsOf(21n)))).toThrow(invalid('invalid_signature', /:0 is wrong/))
    const spoiled = attempt((nonces) => answer(both, nonces).map((part, i) => (i === 1 ? { ...part, signature: '01'.repeat(32) } : part)))
    expect(spoiled).toThrow(invalid('invalid_signature', /:1 is wrong/))
    expect(() => answer(both, begin([first]).nonces)).toThrow(invalid('bad_request', /2 deposits, got 1/))
    expect(() => answer([first], ['00'])).toThrow(invalid('invalid_signature', /nonce/))
  })

  describe('if the initiator keeps its key', () => {
    const hash = hexToBytes(instantRefundHashes(regtest, terms, [first])[0] ?? '')
    const ofInitiator = `${bytesToHex(initiator.signSchnorr(hash))}83`
    const ofRedeemer = signInstantRefund(regtest, terms, first, redeemer)
    const combine = (signatures: { initiator: string; redeemer: string }, refund = first, of = terms) =>
      combineInstantRefund(regtest, of, refund, signatures)
    const right = { initiator: ofInitiator, redeemer: ofRedeemer }

    it('has a signature of each party over the same hash, for the leaf', () => {
      const signed = combine(right)
      if (signed === null) throw new Error('the signatures were refused')
      const witness = readInstantRefund(regtest, terms, signed) ?? []
      expect(witness.slice(0, 2).map((item) => bytesToHex(item))).toEqual([ofRedeemer, ofInitiator])
      expect(instantRefundHashes(regtest, terms, [second, first])[1]).toBe(bytesToHex(hash))
      for (const place of [2, 3]) {
        const spoiled = witness.map((item, index) => (index === place ? Uint8Array.of(...item.subarray(0, -1), 0) : item))
        expect(readInstantRefund(regtest, terms, { ...signed, signature: bytesToHex(RawWitness.encode(spoiled)) })).toBeNull()
      }
    })

    it('accepts the signature of the initiator and of no other key', () => {
      verifyInitiatorSignature(regtest, terms, first, ofInitiator)
      expect(() => verifyInitiatorSignature(regtest, terms, first, ofRedeemer)).toThrow(
        expect.objectContaining({ code: 'invalid_signature', message: expect.stringContaining('ending in 83') }),
      )
      for (const malformed of ['', '00', ofInitiator.slice(2), `${ofInitiator}83`, `${ofInitiator.slice(0, -1)}g`])
        expect(() => verifyInitiatorSignature(regtest, terms, first, malformed)).toThrow(
          expect.objectContaining({ code: 'bad_request', message: expect.stringContaining(`65 bytes as hex, got "${malformed}"`) }),
        )
    })

    it('is refused for other terms, in the wrong order, with another hash type, and as invalid data', () => {
      expect(combine(right, first, termsOf(21n))).toBeNull()
      expect(combine({ initiator: ofRedeemer, redeemer: ofInitiator })).toBeNull()
      const keyPathSession = begin([first])
      const [part] = answer([first], keyPathSession.nonces)
      const spoil: readonly ((signature: string) => string)[] = [
        (signature) => `${signature.slice(0, 128)}01`,
        (signature) => `${signature.slice(0, 128)}00`,
        (signature) => `${signature.slice(0, 128)}82`,
        (signature) => signature.slice(0, 128),
        (signature) => `${signature}83`,
        (signature) => signature.toUpperCase(),
        (signature) => `${signature.slice(2, 128)}0083`,
        () => '',
        () => 'ff'.repeat(65),
        () => `${part?.signature}${part?.signature}83`,
      ]
      for (const change of spoil) {
        expect(() => verifyInitiatorSignature(regtest, terms, first, change(ofInitiator))).toThrow(TandemError)
        expect(combine({ ...right, initiator: change(ofInitiator) })).toBeNull()
        expect(combine({ ...right, redeemer: change(ofRedeemer) })).toBeNull()
      }
      // The signature covers everything (ALL) and has the flag of the other kind appended: the flag is part of what is hashed.
      const wholeHash = hexToBytes(instantRefundHashes(regtest, terms, [second])[0] ?? '')
      expect(combine({ ...right, initiator: `${bytesToHex(initiator.signSchnorr(wholeHash))}83` })).toBeNull()
    })
  })

  it.each(['', '00', '0141', 'zz', `0140${'00'.repeat(64)}`, `0141${'00'.repeat(65)}`, `0241${'00'.repeat(65)}00`, `${'00'.repeat(400)}`])(
    'cannot be read from "%s"',
    (signature) => {
      expect(readInstantRefund(regtest, terms, { ...first, signature })).toBeNull()
    },
  )

  it('is proposed only for deposits that can pay its fee; others wait for the ordinary refund', () => {
    // The output of 390 would be dust after the fee.
    const deposits = [600n, 150_000n, 800n, 390n].map((amount, index) => ({ id: `${'ab'.repeat(32)}:${index}`, amount }))
    const propose = (some: typeof deposits, feeRate = 1_000n, signing: 'together' | 'apart' = 'apart') =>
      proposeInstantRefunds(regtest, terms, { deposits: some, to }, feeRate, signing)
    const bigEnough = (fee: bigint) =>
      [1, 2, 0].map((i) => ({ deposit: deposits[i]?.id, amount: deposits[i]?.amount, to, pays: (deposits[i]?.amount ?? 0n) - fee }))
    expect(propose(deposits)).toEqual(bigEnough(158n))
    // One signature by both keys replaces two signatures and a script.
    expect(propose(deposits, 1_000n, 'together')).toEqual(bigEnough(100n))
    expect(propose(deposits, 3_000n).map(({ amount }) => amount)).toEqual([150_000n])
    expect(() => propose(deposits.slice(0, 1), 3_000n)).toThrow(failure('uneconomic'))
  })
})

describe.each(['rpc', 'esplora'] as const)('instant refunds through %s', (endpoint) => {
  let fixture: Fixture
  let terms: HtlcTerms
  let relay: MemoryOutbox
  beforeEach(async () => {
    fixture = await startFixture(endpoint)
    terms = fixture.terms(200_000n)
    relay = createMemoryOutbox(randomSigner())
  })
  afterEach(() => fixture.node.close())

  const solverAddress = () => fixture.client.addressOf(fixture.solver)
  const parties = () => ({ initiator: fixture.solver, redeemer: fixture.user })
  const deposits = async () => (await fixture.swapState(terms)).deposits.map(({ id, amount }) => ({ id, amount }))
  const fund = async (...amounts: readonly bigint[]) => {
    for (const amount of amounts) await fixture.node.faucet(fixture.client.swapId(terms), amount)
    fixture.node.mine(1)
    return deposits()
  }
  const signed = async (sign = signTogether) =>
    proposeAndSign(fixture.client, terms, { deposits: await deposits(), to: solverAddress() }, parties(), sign)
  const send = (refunds: readonly SignedInstantRefund[]) => instantRefundOf(fixture.client).send(terms, refunds, relay.open('refund'))
  const only = (refunds: readonly SignedInstantRefund[]) => {
    const [refund, ...more] = refunds
    if (refund === undefined || more.length > 0) throw new Error(`expected one refund, not ${refunds.length}`)
    return refund
  }

  it.each(Object.entries(waysToSign))('refunds an underpayment long before the timelock, by %s', async (way, sign) => {
    await fund(150_000n)
    const refund = only(await signed(sign))
    const tx = await send([refund])
    expect(await fixture.mempool()).toEqual([tx])
    expect(await fixture.unminedFee(tx)).toEqual({ fee: refund.amount - refund.pays, vsize: way === 'the leaf' ? 158n : 100n })
    expect((await fixture.swapState(terms)).phase).toBe('refunding')
    fixture.node.mine(1)
    expect(await fixture.swapState(terms)).toMatchObject({
      phase: 'refunded',
      secret: null,
      deposits: [{ spend: { tx, kind: 'refunded' } }],
    })
    expect(await fixture.client.balance(terms.asset, solverAddress())).toBe(refund.pays)
    expect(await send([refund])).toBe(tx)
  })

  it('pays each of several deposits to its own output, largest first, and uses them all up', async () => {
    await fund(150_000n, 60_000n, 70_000n)
    const refunds = await signed()
    expect(refunds.map(({ amount }) => amount)).toEqual([150_000n, 70_000n, 60_000n])
    const mixed = await Promise.all(
      refunds.map(async (refund, index) => (index === 1 ? only(await signEach(fixture.client, terms, [refund], parties())) : refund)),
    )
    const tx = await send(mixed)
    const { fee, vsize } = await fixture.unminedFee(tx)
    expect(fee).toBeGreaterThanOrEqual(vsize)
    const [attempt] = relay.attempts('refund')
    expect(parseTransaction(attempt?.raw ?? '').outputs.map(({ amount }) => amount)).toEqual(refunds.map(({ pays }) => pays))
    expect(attempt?.slots).toEqual(refunds.map(({ deposit }) => deposit))
    fixture.node.mine(1)
    expect((await fixture.swapState(terms)).phase).toBe('refunded')
  })

  it('can be followed by the ordinary refund, which pays a higher fee out of the deposit', async () => {
    const found = await fund(150_000n)
    fixture.node.mine(20)
    const refund = only(await signed())
    const instant = await instantRefundOf(fixture.client).send(terms, [refund], fixture.solverOutbox.open('refund'))
    const { fee } = await fixture.unminedFee(instant)
    fixture.solverOutbox.passSeconds(chain.feeBumpSeconds)
    const ordinary = await fixture.client.refund(terms, { deposits: found, to: solverAddress() }, fixture.solverOutbox.open('refund'))
    expect(ordinary).not.toBe(instant)
    expect((await fixture.unminedFee(ordinary)).fee).toBeGreaterThan(fee)
    expect(await fixture.mempool()).toEqual([ordinary])
  })
})
