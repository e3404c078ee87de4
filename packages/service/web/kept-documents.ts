/**
 * This cache holds documents that are the same for many readers: each is written and compressed at its first request. It is bounded in
 * bytes and evicts the least recently used, because a reader may call the service by any host name, and each name makes another document.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** `etag` is weak (RFC 9110 section 8.8.3), because it is the same for both encodings. */
export type KeptDocument = { readonly plain: Buffer; readonly gzipped: Buffer; readonly etag: string }

export type KeptDocuments = {
  /** `write` is called only if the cache has nothing under this key. A failure is not cached. */
  read(key: string, write: () => string): Promise<KeptDocument>
}

const MAX_BYTES = 16_000_000

export function createKeptDocuments(maxBytes = MAX_BYTES): KeptDocuments {
  const kept = new Map<string, { readonly document: Promise<KeptDocument>; bytes: number }>()
  let bytes = 0

  function evict(key: string): void {
    bytes -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }

  function add(key: string, write: () => string): Promise<KeptDocument> {
    const entry = { document: prepare(write), bytes: 0 }
    kept.set(key, entry)
    entry.document.then(
      ({ plain, gzipped }) => {
        if (kept.get(key) !== entry) return
        entry.bytes = plain.length + gzipped.length
        bytes += entry.bytes
        for (const oldest of kept.keys()) {
          if (bytes <= maxBytes) return
          evict(oldest)
        }
      },
      () => evict(key),
    )
    return entry.document
  }

  return {
    read(key, write) {
      const known = kept.get(key)
      if (known === undefined) return add(key, write)
      // Deleting first moves the document to the end, because a Map keeps the order of insertion.
      kept.delete(key)
      kept.set(key, known)
      return known.document
    },
  }
}

async function prepare(write: () => string): Promise<KeptDocument> {
  const plain = Buffer.from(write())
  return { plain, gzipped: await promisify(gzip)(plain, { level: 9 }), etag: `W/${etagOf(plain)}` }
}

export function etagOf(content: Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
}
