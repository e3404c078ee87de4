/** Sends an answer in one piece. Node's own way checks every header by two patterns and writes in two chunks, which costs as much as all of the rest of a short answer. */
import type { Server, ServerResponse } from 'node:http'

/** What every repeat needs is made once. */
export type AnswerText = {
  readonly json: string
  readonly contentLength: string
  /** `latin1` where it gives the same bytes: it is faster to write. */
  readonly encoding: 'latin1' | 'utf8'
}

export function answerText(json: string): AnswerText {
  const bytes = Buffer.byteLength(json)
  return { json, contentLength: bytes.toString(), encoding: bytes === json.length ? 'latin1' : 'utf8' }
}

/** `headers`: names and values in turn. They are not checked: they must be our own words and numbers. */
type SendWhole = (response: ServerResponse, headers: readonly string[], text: AnswerText) => void

/** What Node sends before the first chunk. It is not documented; `headersSent`, which is, says whether this Node takes it. */
type WithHead = { _header: string | null }

export function createSendWhole({ keepAliveTimeout }: Server): SendWhole {
  const dateNow = createHttpDate()
  const timeout = keepAliveTimeout > 0 ? `Keep-Alive: timeout=${Math.floor(keepAliveTimeout / 1000)}\r\n` : ''

  function headOf(headers: readonly string[]): string {
    let head = 'HTTP/1.1 200 OK\r\n'
    for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
    return `${head}Date: ${dateNow()}\r\nConnection: keep-alive\r\n${timeout}\r\n`
  }

  return (response, headers, { json, encoding }) => {
    // Node writes the head as latin1.
    if (response.shouldKeepAlive && encoding === 'latin1') {
      ;(response as unknown as WithHead)._header = headOf(headers) + json
      if (response.headersSent) {
        response.end()
        return
      }
    }
    response.writeHead(200, [...headers])
    response.end(json, encoding)
  }
}

/** RFC 9110 section 5.6.7. Written once a second. */
function createHttpDate(): () => string {
  let [second, text] = [0, '']
  return () => {
    const now = Math.floor(Date.now() / 1000)
    if (now !== second) {
      second = now
      text = new Date(now * 1000).toUTCString()
    }
    return text
  }
}
