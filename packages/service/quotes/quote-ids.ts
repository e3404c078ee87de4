/**
 * The ids of quotes. An id carries what was quoted, under a code that only this service can make: every process of it knows them all, also after a
 * restart, and nothing is stored.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Bid } from './rank.ts'

export type OpenQuote = Pick<Bid, 'solverId' | 'quoteId' | 'sourceAmount' | 'destinationAmount' | 'expiresAt'>

/** `networkFee`: the most that was said to be taken out of the payout; 0: nothing. */
export type IssuedQuote = OpenQuote & { readonly networkFee: bigint }

/** Who asked, and for what. */
export type QuoteTopic = {
  readonly source: { readonly id: AssetId }
  readonly destination: { readonly id: AssetId }
  readonly extraFeeBips: number
  readonly app: string
}

export interface QuoteIds {
  issue(quote: IssuedQuote, topic: QuoteTopic): string
  /** Throws `bad_request` unless it was issued for the same assets, fees and app; `price_moved` if it has expired. */
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
])
const isContent = Compile(Content)

/** `secret`: the same in every process of the service. */
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
      // Of an earlier version, which wrote other fields.
      if (!isContent.Check(fields)) throw new TandemError('price_moved', 'quote_id: the quote is no longer known; take a new quote')
      const [solverId, quoteId, sourceAmount, destinationAmount, expiresAt, extraFeeBips, networkFee] = fields
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
      }
    },
  }
}
