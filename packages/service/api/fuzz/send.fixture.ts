/** These functions send requests unchanged; `fetch` would normalise them. */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { FuzzRequest } from './requests.fixture.ts'

export type FuzzAnswer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }

export type Sender = {
  send(request: FuzzRequest): Promise<FuzzAnswer>
  sendBytes(bytes: Buffer): Promise<string>
  close(): void
}

export function createSender(baseUrl: string): Sender {
  const { hostname, port } = new URL(baseUrl)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  return {
    send({ method, path, headers, body }) {
      return new Promise((resolve, reject) => {
        const length = body === null ? {} : { 'content-length': body.length }
        const sent = httpRequest({ hostname, port, path, method, agent, headers: { ...headers, ...length } }, (response) => {
          if (response.headers['content-type']?.startsWith('text/event-stream') === true) {
            // A stream does not end by itself.
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text: '' })
            response.on('error', () => undefined).destroy()
            return
          }
          response
            .toArray()
            .then((chunks) => {
              const bytes = Buffer.concat(chunks)
              const text = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8')
              resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
            })
            .catch(reject)
        })
        sent.on('error', reject)
        sent.end(body ?? undefined)
      })
    },
    sendBytes(bytes) {
      return new Promise((resolve) => {
        const chunks: Buffer[] = []
        const socket = connect(Number(port), hostname, () => socket.end(bytes))
        socket.on('data', (chunk) => chunks.push(chunk))
        // A connection reset counts as a refusal.
        socket.on('error', () => socket.destroy())
        socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
      })
    },
    close: () => agent.destroy(),
  }
}
