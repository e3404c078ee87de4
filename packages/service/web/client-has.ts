/** This file reads which encodings a client accepts and which content it already has. */
import type { FastifyRequest } from 'fastify'

export function acceptsEncoding({ headers }: FastifyRequest, encoding: 'gzip' | 'br'): boolean {
  const parts = (headers['accept-encoding'] ?? '').toString().split(',')
  return parts.some((part) => part.split(';')[0]?.trim() === encoding)
}

/** The header is that of RFC 9110 section 13.1.2. */
export function hasContent({ headers }: FastifyRequest, etag: string): boolean {
  const given = (headers['if-none-match'] ?? '').split(',')
  return given.some((one) => opaque(one) === opaque(etag))
}

const opaque = (etag: string): string => etag.trim().replace(/^W\//, '')
