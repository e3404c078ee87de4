/**
 * The id of a quote carries the quote and an HMAC that only this service can make. Every process of the service can read every id, also
 * after a restart, and nothing is stored.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { GasRequest } from '../destination-gas/gas-request.ts'
import type { Bid } from './rank.ts'

export type OpenQuote = Pick<Bid, 'solverId' | 'quoteId' | 'sourceAmount' | 'destinationAmount' | 'expiresAt'>

/** `networkFee` is the stated maximum that is taken out of the payout. It is 0 if nothing is. */
export type IssuedQuote = OpenQuote & { readonly networkFee: bigint; readonly gas: GasRequest }

/** The topic is the app that asked for the quote, and the terms of the question. */
export type QuoteTopic = {
  readonly source: { readonly id: AssetId }
  readonly destination: { readonly id: AssetId }
  readonly extraFeeBips: number
  readonly app: string
}

export interface QuoteIds {
  issue(quote: IssuedQuote, topic: QuoteTopic): string
  /** Throws `bad_request` unless the id was issued for the same assets, fees and app, and `price_moved` if it has expired. */
  read(id: string, topic: QuoteTopic, now: bigint): IssuedQuote
}

const CODE_BYTES = 16

const Content = Type.Tuple([
  Type.String(),
  Type.String(),
  Type.String({ pattern: '^[0-9]+$' }),
  Type.String({ pattern: '^[0-9]+$' }),
  Type.Integer({ minimum: 0 }),
  Type.Integer({ minimum: 0 }),
  Type.String({ pattern: '^[0-9]+$' }),
  Type.Union([Type.Null(), Type.Tuple([Type.String({ pattern: '^[0-9]+$' }), Type.Integer({ minimum: 0 })])]),
])
const isContent = Compile(Content)

/** `secret` must be the same in every process of the service. */
export function createQuoteIds(secret: string | Buffer = randomBytes(32)): QuoteIds {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'tandem quote ids', 32))
  const codeOf = (content: string, { source, destination, app }: QuoteTopic) =>
    createHmac('sha256', key)
      .update(JSON.stringify([content, source.id, destination.id, app]))
      .digest()
      .subarray(0, CODE_BYTES)

  return {
    issue(quote, topic) {
      const { solverId, quoteId, sourceAmount, destinationAmount, expiresAt } = quote
      const amounts = [sourceAmount.toString(), destinationAmount.toString()] as const
      const fields: Static<typeof Content> = [
        solverId,
        quoteId,
        ...amounts,
        Number(expiresAt),
        topic.extraFeeBips,
        quote.networkFee.toString(),
        quote.gas === null ? null : [quote.gas.amount.toString(), quote.gas.feeBips],
      ]
      const content = Buffer.from(JSON.stringify(fields)).toString('base64url')
      return `${content}.${codeOf(content, topic).toString('base64url')}`
    },
    read(id, topic, now) {
      const [content = '', code = '', ...more] = id.split('.')
      const given = Buffer.from(code, 'base64url')
      if (more.length > 0 || given.length !== CODE_BYTES || !timingSafeEqual(given, codeOf(content, topic)))
        throw new TandemError(
          'bad_request',
          `quote_id is not the id of a quote that this app got for ${topic.source.id} → ${topic.destination.id}; the ids of indicative quotes bind nobody`,
        )
      const fields: unknown = JSON.parse(Buffer.from(content, 'base64url').toString())
      // An id of another version has other fields.
      if (!isContent.Check(fields)) throw new TandemError('price_moved', 'quote_id: the quote is not known any more; take a new quote')
      const [solverId, quoteId, sourceAmount, destinationAmount, expiresAt, extraFeeBips, networkFee, gas] = fields
      if (extraFeeBips !== topic.extraFeeBips)
        throw new TandemError(
          'bad_request',
          `quote_id: the quote has ${extraFeeBips} bips of fees for the service and affiliates, the order ${topic.extraFeeBips}; ask for the quote with affiliate_fee = the sum of affiliate_fees`,
        )
      if (BigInt(expiresAt) <= now) throw new TandemError('price_moved', `quote_id: the quote expired at ${expiresAt}; take a new quote`)
      return {
        solverId,
        quoteId,
        sourceAmount: BigInt(sourceAmount),
        destinationAmount: BigInt(destinationAmount),
        expiresAt: BigInt(expiresAt),
        networkFee: BigInt(networkFee),
        gas: gas === null ? null : { amount: BigInt(gas[0]), feeBips: gas[1] },
      }
    },
  }
}
