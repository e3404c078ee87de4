/** Asks a signer in another process. Each request is signed, and each answer must be signed by the signer and belong to its request. */

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { dirname } from 'node:path'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { KeyHolder } from '@tandem/keys/asked-keys.ts'
import { signRequest } from '@tandem/party/solver-auth/sign.ts'
import { createVerifyingKey, type SigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { answerProblem } from '@tandem/party/solver-auth/verify-answer.ts'
import { decode } from './wire/codec.ts'
import { isHead, isStatus, MAX_BODY_BYTES, paths, SEEN_HEADER, type SignerStatus } from './wire/protocol.ts'
import { writeContinuation, writeQuestion } from './wire/question.ts'

export type SignerAddress =
  | { readonly socket: string }
  | { readonly url: string; readonly tls: { readonly key: string; readonly cert: string; readonly ca: string } }

export interface SignerClient extends KeyHolder {
  status(): Promise<SignerStatus>
  close(): void
}

export type SignerClientOptions = {
  readonly address: SignerAddress
  readonly key: SigningKey
  /** Only answers that the signer signed with this key count. */
  readonly publicKey: string
  /** The newest head of its journal is kept here, so that a signer which lost a part of it is noticed. Null keeps none. */
  readonly headFile: string | null
  readonly timeoutMs?: number
}

/** Before it signs a lock the signer reads the source by a quorum. */
const TIMEOUT_MS = 20_000

/** A signer that is back must soon collect what was redeemed meanwhile, however long it was away. */
const RETRY_MS = 2_000

export async function createSignerClient({
  address,
  key,
  publicKey,
  headFile,
  timeoutMs = TIMEOUT_MS,
}: SignerClientOptions): Promise<SignerClient> {
  const signerKey = createVerifyingKey(publicKey)
  const heads = headFile === null ? null : await openHeads(headFile)
  const agent =
    'socket' in address ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ keepAlive: true, ...address.tls, minVersion: 'TLSv1.3' })

  async function ask(path: string, body: string): Promise<unknown> {
    const headers = signRequest(key, { method: 'POST', target: path, body, recipient: publicKey, waitMs: timeoutMs, nowMs: Date.now() })
    const { status, headers: answered, bytes } = await send({ path, body, headers: { ...headers, ...heads?.header() } })
    const problem = answerProblem(signerKey, { status, headers: answered, body: bytes, requestSignature: headers.signature })
    if (problem !== null) throw new Error(`the answer of the signer ${problem}; it is HTTP ${status}`)
    const answer = decode(bytes.toString('utf8')) as { readonly head?: unknown; readonly result?: unknown; readonly failure?: Failure }
    if (status === 200 && isHead.Check(answer.head)) {
      await heads?.note(answer.head)
      return answer.result
    }
    throw failureOf(answer.failure)
  }

  function send({
    path,
    body,
    headers,
  }: {
    readonly path: string
    readonly body: string
    readonly headers: Readonly<Record<string, string>>
  }) {
    const options = { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) }, timeout: timeoutMs }
    return new Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }>((resolve, reject) => {
      const failed = (cause: unknown) =>
        reject(
          new ChainFailure('unreachable', 'the signer does not answer: nothing is signed without it', { cause, retryAfterMs: RETRY_MS }),
        )
      const request =
        'socket' in address
          ? httpRequest({ ...options, socketPath: address.socket, path })
          : httpsRequest(new URL(path, address.url), options)
      request.on('error', failed)
      request.on('timeout', () => request.destroy(new Error('timeout')))
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MAX_BODY_BYTES) request.destroy(new Error('the answer is too long'))
          else chunks.push(chunk)
        })
        response.on('error', failed)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }))
      })
      request.end(body)
    })
  }

  return {
    sign: (question) => ask(paths.sign, writeQuestion(question)),
    async begin(question) {
      const begun = (await ask(paths.begin, writeQuestion(question))) as { readonly value: unknown; readonly session: string }
      return { value: begun.value, session: begun.session }
    },
    finish: (session, name, args) => ask(paths.finish, writeContinuation({ session, name, args: [...args] })),
    async status() {
      const answer = await ask(paths.status, '')
      if (!isStatus.Check(answer)) throw new Error('the signer answered in an unknown form')
      return answer
    },
    close: () => agent.destroy(),
  }
}

type Failure = { readonly kind: string; readonly message: string }

function failureOf(failure: Failure | undefined): Error {
  const message = `the signer: ${failure?.message ?? 'an answer in an unknown form'}`
  return new ChainFailure(failure?.kind === 'unreachable' ? 'unreachable' : 'would-fail', message)
}

type SeenHead = { readonly count: number; readonly hash: string }

/** Answers may overtake each other, so the highest counts. */
async function openHeads(path: string) {
  await mkdir(dirname(path), { recursive: true })
  let newest: SeenHead | null = await readHead(path)
  let writing: Promise<void> | null = null
  let written = newest
  // Two processes of a solver may write at the same moment.
  const draft = `${path}.${process.pid}.new`

  async function write(): Promise<void> {
    while (newest !== null && newest !== written) {
      const now = newest
      await writeFile(draft, JSON.stringify(now), { mode: 0o600 })
      await rename(draft, path)
      written = now
    }
    writing = null
  }

  return {
    header: () => (newest === null ? {} : { [SEEN_HEADER]: `${newest.count} ${newest.hash}` }),
    note(head: SeenHead): Promise<void> {
      if (newest === null || head.count > newest.count) newest = head
      writing ??= write()
      return writing
    },
  }
}

async function readHead(path: string): Promise<SeenHead | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const head: unknown = JSON.parse(text)
  if (!isHead.Check(head)) throw new Error(`${path} is no head of a journal: remove it if you know that the signer has lost nothing`)
  return head
}
