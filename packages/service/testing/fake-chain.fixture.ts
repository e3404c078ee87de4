/** This chain is simulated for tests of the API, which itself sends no transaction. Answers are computed; nothing is stored. */
import { createHash } from 'node:crypto'
import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import type { ChainClient, FundingRequest } from '@tandem/chain-kit/port/client.ts'
import type { SpendRequest } from '@tandem/chain-kit/port/spend.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Fill } from '@tandem/protocol/fill.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund } from '@tandem/protocol/order.ts'

export type FakeChain = ChainClient & {
  /** If this is set, every call to the node fails. */
  failure: Error | null
  fee: bigint
}

const notUsed = (): never => {
  throw new Error('the API must not call this')
}

/** The initiator's signature is simulated. */
export function signatureOf(terms: { readonly initiator: string; readonly secretHash: string }): string {
  return `signed:${terms.initiator}:${terms.secretHash}`
}

/** The proof of an address is simulated. */
export function proofOf(address: string, message: string): string {
  return `proof:${address}:${message}`
}

export function createFakeChain(chain: Chain, userParty: 'account' | 'order-key'): FakeChain {
  const fake: FakeChain = {
    chain,
    curve: 'secp256k1',
    failure: null,
    fee: 0n,
    text: {
      parseAddress: userParty === 'account' ? parseAccount : parseScriptAddress,
      parseIdentity: userParty === 'account' ? parseAccount : parseKey,
      parseTransactionId(text) {
        const digits = /^(?:0x)?([0-9a-f]+)(?::[0-9]+)?$/i.exec(text)?.[1]?.toLowerCase()
        if (digits === undefined) throw new TandemError('bad_request', `"${text}" is no transaction of ${chain.id}`)
        return userParty === 'account' ? `0x${digits}` : digits
      },
      formatInitiation: (tx) => tx,
      comparable(text) {
        if (userParty === 'account') return /^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : null
        if (/^[0-9a-f]{64}$/i.test(text) || text === text.toUpperCase()) return text.toLowerCase()
        return text
      },
    },
    identityOf: (key) => {
      const publicKey = Buffer.from(key.publicKey).toString('hex')
      return userParty === 'account' ? `0x${publicKey.slice(-40)}` : publicKey.slice(2)
    },
    addressOf: notUsed,
    swapId(terms) {
      if (userParty === 'order-key' && ![terms.initiator, terms.redeemer].every((key) => /^[0-9a-f]{64}$/.test(key)))
        throw new Error('not a public key')
      return createHash('sha256')
        .update(JSON.stringify([chain.id, ...meaning(terms)]))
        .digest('hex')
    },
    ...(userParty === 'order-key' && {
      orderKeys: {
        parseUserKey: (text: string) => (/^[0-9a-f]{64}$/.test(text) ? { identity: text, address: `fake1key${text.slice(0, 7)}` } : null),
        verifyMessage(address: string, message: string, proof: string) {
          if (proof !== proofOf(address, message)) throw new TandemError('invalid_signature', 'signature does not prove the address')
        },
        refundPackage: () => ({ family: chain.family, chain: chain.id }),
      },
    }),
    verifyNode: notUsed,
    tip: notUsed,
    headers: notUsed,
    events: notUsed,
    readHtlc: notUsed,
    balance: notUsed,
    async funding(request) {
      if (fake.failure !== null) throw fake.failure
      return userParty === 'account' ? calls(request) : { kind: 'deposit', to: fake.swapId(request.terms), amount: request.terms.amount }
    },
    verifyPayout: notUsed,
    async payoutFee() {
      if (fake.failure !== null) throw fake.failure
      return fake.fee
    },
    initiate: notUsed,
    redeem: notUsed,
    refund: notUsed,
    ...(userParty === 'account' && {
      gasless: {
        supports: (asset: string) => !isNative(asset),
        async verify(terms: HtlcTerms, signature: string) {
          if (signature !== signatureOf(terms)) throw new TandemError('invalid_signature', "the signature is not the initiator's")
        },
        initiate: notUsed,
      },
    }),
    instantRefund: {
      async propose(_terms: HtlcTerms, { deposits, to }: SpendRequest & { readonly to: string }) {
        if (fake.failure !== null) throw fake.failure
        return deposits.map(({ id, amount }) => ({ deposit: id, amount, to, pays: userParty === 'account' ? amount : amount - fake.fee }))
      },
      sign: async (terms: HtlcTerms, refunds: readonly InstantRefund[]) => consentsOf(terms, refunds),
      async combine(terms: HtlcTerms, refunds: readonly InstantRefund[], { redeemer }: { readonly redeemer: string }) {
        if (fake.failure !== null) throw fake.failure
        if (redeemer !== consentsOf(terms, refunds)) throw new TandemError('invalid_signature', 'a signature is wrong')
        return refunds.map((refund) => ({ ...refund, signature: consentOf(terms, refund) }))
      },
      send: notUsed,
    },
    ...(userParty === 'order-key' && {
      cosignedRefund: {
        begin: async (terms: HtlcTerms, refunds: readonly InstantRefund[]) => ({
          offer: FAKE_OFFER,
          async finish(answer: string) {
            if (answer !== answerOf(terms, refunds)) throw new TandemError('bad_request', 'not an answer to the offer')
            return refunds.map((refund) => ({ ...refund, signature: consentOf(terms, refund) }))
          },
        }),
        async answer(terms: HtlcTerms, refunds: readonly InstantRefund[], offer: string) {
          if (offer !== FAKE_OFFER) throw new TandemError('bad_request', 'not an offer')
          return answerOf(terms, refunds)
        },
        hashes: async (terms: HtlcTerms, refunds: readonly InstantRefund[]) => refunds.map((refund) => hashOf(terms, refund)),
        async verifyInitiatorSignature(terms: HtlcTerms, refund: InstantRefund, signature: string) {
          if (signature !== consentOf(terms, refund)) throw new TandemError('invalid_signature', 'this is no consent of the initiator')
        },
      },
      partialDeposits: {
        signFill: async (terms: HtlcTerms, orderId: string, fill: Fill) => fillSignature(terms, orderId, fill),
        verifyFill: (terms: HtlcTerms, orderId: string, fill: Fill, signature: string) => signature === fillSignature(terms, orderId, fill),
      },
    }),
    close: async () => undefined,
  }
  return fake
}

/** The redeemer's signature over a fill is simulated. */
export function fillSignature(terms: HtlcTerms, orderId: string, { deposits, blockHash, destinationAmount }: Fill): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([...meaning(terms), orderId, deposits, blockHash, destinationAmount.toString()]))
    .digest('hex')
  return `${digest}${digest}`
}

/** The offer to the redeemer for an instant refund is simulated. */
export const FAKE_OFFER = 'offer'

export function answerOf(terms: HtlcTerms, refunds: readonly InstantRefund[]): string {
  return ['answer', ...refunds.map((refund) => hashOf(terms, refund))].join(' ')
}

/** The redeemer's signatures over refunds are simulated. */
export function consentsOf(terms: HtlcTerms, refunds: readonly InstantRefund[]): string {
  return ['signed', ...refunds.map((refund) => consentOf(terms, refund))].join(' ')
}

function hashOf(terms: HtlcTerms, refund: InstantRefund): string {
  return consentOf(terms, refund).slice(0, 64)
}

export function consentOf(terms: HtlcTerms, { deposit, amount, to, pays }: InstantRefund): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([...meaning(terms), deposit, amount.toString(), to, pays.toString()]))
    .digest('hex')
  return `${digest}${digest}83`
}

/** Swaps have deposit addresses on a fake chain with this ability. `held` has what lies at each address. */
export function fakeAddresses(held: ReadonlyMap<string, bigint> = new Map()): NonNullable<ChainClient['prefund']> {
  const addressOf = ({ terms, deadline }: PrefundedSwap) =>
    `0x${createHash('sha256')
      .update(JSON.stringify([...meaning(terms), deadline.toString()]))
      .digest('hex')
      .slice(0, 40)}`
  return { addressOf, amounts: async (swaps) => swaps.map((swap) => held.get(addressOf(swap)) ?? 0n), initiate: notUsed, reclaim: notUsed }
}

function meaning(terms: HtlcTerms): readonly string[] {
  return [terms.asset, terms.initiator, terms.redeemer, terms.amount.toString(), terms.secretHash, terms.timelock.toString()]
}

function calls({ terms, payer }: FundingRequest): Funding {
  const native = isNative(terms.asset)
  const call = { chainId: 31337, to: `0x${'c'.repeat(40)}`, gasLimit: 100_000n }
  return {
    kind: 'calls',
    numbers: 'hex',
    approval: native ? null : { ...call, data: '0xa1', value: 0n },
    initiate: { ...call, data: payer === null ? '0xb1' : `0xb2${payer.slice(2)}`, value: native ? terms.amount : 0n },
    typedData: native ? null : { primaryType: 'Initiate', message: { redeemer: terms.redeemer, amount: terms.amount.toString() } },
  }
}

function isNative(asset: string): boolean {
  return asset.endsWith(':eth')
}

function parseAccount(text: string): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new TandemError('invalid_address', `"${text}" is not an account`)
  return text.toLowerCase()
}

function parseKey(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new TandemError('invalid_address', `"${text}" is not a public key`)
  return text.toLowerCase()
}

function parseScriptAddress(text: string): string {
  if (!/^fake1[a-z0-9]{10}$/.test(text)) throw new TandemError('invalid_address', `"${text}" is not a script address`)
  return text
}
