/** Sends requests to one provider over its WebSocket. The first request opens the connection, and so does the next after it broke. */
import { type Endpoint, headersOf, urlOf } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { countRequests } from '@tandem/chain-kit/port/provider-tally.ts'
import { type Json, record } from '@tandem/chain-kit/providers/json.ts'
import { RateLimited } from '@tandem/chain-kit/providers/refusal.ts'
import { type RawData, WebSocket } from 'ws'
import { NodeRefusal } from './node.ts'

export interface Socket {
  /**
   * The result is the field `result` of the answer. It rejects with a NodeRefusal, or with `unreachable` when there is no usable answer.
   */
  request(command: string, params: Json): Promise<Json>
  close(): void
}

/** The shortest page of an account's history, ten transactions, may have ten times some megabytes: metadata names up to 5,200 objects. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** These errors are the node's own trouble, not an answer about the chain. */
const TROUBLES: ReadonlySet<string> = new Set([
  'amendmentBlocked',
  'failedToForward',
  'internal',
  'noClosed',
  'noCurrent',
  'noNetwork',
  'notReady',
  'notSynced',
  'tooBusy',
])
/** The node answers so if we ask too often. */
const RATE_LIMIT = 'slowDown'

type Waiting = { readonly on: WebSocket; resolve(result: Json): void; reject(error: Error): void }

export function createSocket(endpoint: Endpoint, timeoutMs: number): Socket {
  const waiting = new Map<number, Waiting>()
  const url = urlOf(endpoint)
  const count = countRequests(url)
  let connection: Promise<WebSocket> | null = null
  let lastId = 0
  let isClosed = false

  /** Other requests may wait on a newer connection. */
  function failAll(broken: WebSocket): void {
    for (const [id, { on, reject }] of [...waiting]) {
      if (on !== broken) continue
      waiting.delete(id)
      reject(unreachable('the connection was closed'))
    }
  }

  function open(): Promise<WebSocket> {
    const opened = new WebSocket(url, {
      headers: headersOf(endpoint),
      maxPayload: MAX_MESSAGE_BYTES,
      handshakeTimeout: timeoutMs,
    })
    const opening = new Promise<WebSocket>((resolve, reject) => {
      opened.once('open', () => resolve(opened))
      opened.once('unexpected-response', (_request, { statusCode }) => {
        reject(statusCode === 429 ? new RateLimited(url) : unreachable(`HTTP ${statusCode} instead of a WebSocket`))
        opened.terminate()
      })
      opened.once('error', (error) => reject(unreachable(error.message)))
      opened.once('close', () => reject(unreachable('the connection was closed')))
    })
    opened.on('message', (message) => take(message))
    opened.on('error', () => opened.terminate())
    opened.on('close', () => {
      if (connection === opening) connection = null
      failAll(opened)
    })
    connection = opening
    return opening
  }

  function take(message: RawData): void {
    const answer = parse(message)
    const asked = typeof answer?.id === 'number' ? waiting.get(answer.id) : undefined
    if (answer === null || asked === undefined || typeof answer.id !== 'number') return
    waiting.delete(answer.id)
    try {
      asked.resolve(resultOf(answer, url))
    } catch (error) {
      asked.reject(error as Error)
    }
  }

  /** A connection that does not answer in time is dead, or hopelessly late: the next request opens another. */
  async function drop(): Promise<void> {
    const broken = connection
    connection = null
    await broken?.then(
      (socket) => socket.terminate(),
      () => undefined,
    )
  }

  return {
    async request(command, params) {
      if (isClosed) throw unreachable('the connection is closed')
      lastId += 1
      const id = lastId
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          waiting.delete(id)
          reject(unreachable(`no answer to ${command} in ${timeoutMs} ms`))
          void drop()
        }, timeoutMs)
      })
      const answer = (async () => {
        const socket = await (connection ?? open())
        return new Promise<Json>((resolve, reject) => {
          waiting.set(id, { on: socket, resolve, reject })
          socket.send(JSON.stringify({ ...params, id, command, api_version: 2 }), (error) => {
            if (error && waiting.delete(id)) reject(unreachable(error.message))
          })
        })
      })()
      try {
        const result = await Promise.race([answer, late])
        count('answered')
        return result
      } catch (error) {
        if (!isClosed) count(error instanceof NodeRefusal ? 'answered' : error instanceof RateLimited ? 'limited' : 'failed')
        throw error
      } finally {
        clearTimeout(timer)
      }
    },
    close() {
      isClosed = true
      void drop()
    },
  }
}

function parse(message: RawData): Json | null {
  try {
    return record(JSON.parse(String(message)))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ChainFailure) return null
    throw error
  }
}

function resultOf(answer: Json, url: string): Json {
  if (answer.status === 'success') return record(answer.result)
  const error = typeof answer.error === 'string' ? answer.error : 'an error without a name'
  const words = typeof answer.error_message === 'string' ? answer.error_message.slice(0, 200) : error
  if (error === RATE_LIMIT) throw new RateLimited(url)
  if (TROUBLES.has(error)) throw unreachable(`the node cannot answer now (${error}: ${words})`)
  throw new NodeRefusal(error, words, answer)
}

function unreachable(why: string): ChainFailure {
  return new ChainFailure('unreachable', why)
}
