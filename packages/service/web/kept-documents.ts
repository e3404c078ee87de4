/**
 * Documents that are the same for many readers: written and compressed when first asked for, then kept. Bounded in bytes, those that were not asked for
 * longest go first: a reader may call the service by any name, and each name is a document of its own.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** `etag`: weak (RFC 9110 section 8.8.3), the same for both encodings. */
export type KeptDocument = { readonly plain: Buffer; readonly gzipped: Buffer; readonly etag: string }

export type KeptDocuments = {
  /** `write` is called only if nothing is kept under this key. A failure is not kept. */
  read(key: string, write: () => string): Promise<KeptDocument>
}

const MOST_BYTES = 16_000_000

export function createKeptDocuments(mostBytes = MOST_BYTES): KeptDocuments {
  const kept = new Map<string, { readonly document: Promise<KeptDocument>; bytes: number }>()
  let bytes = 0

  function forget(key: string): void {
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
          if (bytes <= mostBytes) return
          forget(oldest)
        }
      },
      () => forget(key),
    )
    return entry.document
  }

  return {
    read(key, write) {
      const known = kept.get(key)
      if (known === undefined) return add(key, write)
      // To the end of the order of insertion.
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
