/** The HTTP server of a signer, on a Unix socket or with mutual TLS. Only keys of its configuration may ask, and every answer is signed. */

import { chmod, unlink } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Server } from 'node:net'
import { connect } from 'node:net'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { contentDigest } from '@tandem/party/solver-auth/message-signature.ts'
import { signAnswer } from '@tandem/party/solver-auth/sign.ts'
import type { SigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { createRequestVerifier, type KnownCaller } from '@tandem/party/solver-auth/verify-request.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { type Gate, isRefusal } from './gate.ts'
import type { Head } from './journal/journal.ts'
import { encode, NotPlain } from './wire/codec.ts'
import { type FailureKind, isHead, MAX_BODY_BYTES, paths, SEEN_HEADER, type SignerStatus, statusOf } from './wire/protocol.ts'
import { readContinuation, readQuestion } from './wire/question.ts'

export type Listen =
  | { readonly socket: string }
  | { readonly host: string; readonly port: number; readonly tls: { readonly key: string; readonly cert: string; readonly ca: string } }

export type ServerOptions = {
  readonly gate: Gate
  readonly key: SigningKey
  readonly clients: readonly KnownCaller[]
  readonly status: () => SignerStatus
  readonly head: () => Head
  readonly log: Logger
}

/** So many questions are worked on at a time; others are refused at once, and asked again. */
const MAX_AT_ONCE = 64
const MAX_DROPPED = 4

export async function startServer(listen: Listen, options: ServerOptions): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = 'socket' in listen ? createServer(listener(options)) : createTlsServer(tlsOf(listen), listener(options))
  if ('socket' in listen) await listenOnSocket(server, listen.socket)
  else await new Promise<void>((resolve, reject) => server.once('error', reject).listen(listen.port, listen.host, resolve))
  return {
    url: urlOf(server, listen),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function tlsOf({ tls: { key, cert, ca } }: Extract<Listen, { readonly tls: unknown }>) {
  return { key, cert, ca, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' } as const
}

/** A socket that a dead process left is taken away; that of a living one is not. */
async function listenOnSocket(server: Server, path: string): Promise<void> {
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => {
      probe.destroy()
      resolve(true)
    }).on('error', () => resolve(false))
  })
  if (isAlive) throw new Error(`another process listens on ${path}`)
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  const before = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  } finally {
    process.umask(before)
  }
  await chmod(path, 0o600)
}

function urlOf(server: Server, listen: Listen): string {
  const address = server.address()
  if ('socket' in listen) return `unix:${listen.socket}`
  return `https://${listen.host}:${typeof address === 'object' && address !== null ? address.port : listen.port}`
}

type Answer = { readonly status: number; readonly body: string }

function listener({ gate, key, clients, status, head, log }: ServerOptions): RequestListener {
  const verifier = createRequestVerifier({ callers: clients, recipient: key.publicKey })
  let running = 0

  async function answer(request: IncomingMessage): Promise<{ readonly answer: Answer; readonly signature: string | null }> {
    let signature: string | null = null
    try {
      const verified = verifier.verify({ method: request.method ?? '', target: request.url ?? '', headers: request.headers })
      signature = verified.signature
      verified.assertFresh()
      const text = await readBody(request)
      if (contentDigest(text) !== verified.contentDigest) throw new TandemError('unauthorized', 'content-digest does not match the body')
      if (running >= MAX_AT_ONCE) return { answer: failure('unreachable', 'the signer is busy'), signature }
      running += 1
      try {
        const seen = seenIn(request)
        if (seen !== null) await gate.compare(seen)
        return { answer: await run(request.url ?? '', text, verified.caller), signature }
      } finally {
        running -= 1
      }
    } catch (error) {
      return { answer: failureOf(error, log), signature }
    }
  }

  async function run(path: string, text: string, caller: string): Promise<Answer> {
    const success = (result: unknown): Answer => ({ status: 200, body: encode({ head: head(), result }) })
    if (path === paths.sign) return success(await gate.sign(readQuestion(text), caller))
    if (path === paths.begin) return success(await gate.begin(readQuestion(text), caller))
    if (path === paths.finish) return success(await gate.finish(readContinuation(text), caller))
    if (path === paths.status) return success(status())
    return failure('invalid', `there is no ${path.slice(0, 100)} here`)
  }

  return (request, response) => {
    answer(request).then(
      ({ answer: { status: code, body }, signature }) =>
        send(response, code, body, signature === null ? {} : signed(code, body, signature)),
      (error) => {
        log.error({ err: error }, 'a question could not be answered')
        response.destroy()
      },
    )
  }

  function signed(code: number, body: string, requestSignature: string) {
    return signAnswer(key, { status: code, body, requestSignature, nowMs: Date.now() })
  }
}

function send(response: ServerResponse, status: number, body: string, headers: Readonly<Record<string, string>>): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
}

function failure(kind: FailureKind, message: string): Answer {
  return { status: statusOf[kind], body: encode({ failure: { kind, message } }) }
}

function failureOf(error: unknown, log: Logger): Answer {
  if (isRefusal(error)) return failure('refused', error.message)
  if (error instanceof ChainFailure) return failure('unreachable', error.message)
  if (error instanceof NotPlain || error instanceof TandemError) return failure('invalid', error.message)
  log.error({ err: error }, 'a question failed unexpectedly')
  return failure('broken', error instanceof Error ? error.message : 'unknown')
}

function seenIn({ headers }: IncomingMessage): Head | null {
  const [count, hash] = String(headers[SEEN_HEADER] ?? '').split(' ')
  const head: unknown = { count: Number(count), hash }
  return isHead.Check(head) ? head : null
}

/** Of a body that is too long the rest is read and dropped, so that the caller hears why; one that never ends is cut. */
function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BODY_BYTES) chunks.push(chunk)
      else chunks = []
      if (size > MAX_DROPPED * MAX_BODY_BYTES) request.destroy(new Error('the body does not end'))
    })
    request.on('end', () => {
      if (size > MAX_BODY_BYTES) reject(new NotPlain(`it is longer than ${MAX_BODY_BYTES} bytes`))
      else resolve(Buffer.concat(chunks).toString('utf8'))
    })
    request.on('error', reject)
  })
}
