/** A logger of JSON lines that a test reads as they are written. */
import { Writable } from 'node:stream'
import type { Logger } from 'pino'
import { createLogger } from './log.ts'

export function testLog(onLine: (line: string) => unknown = () => undefined): Logger {
  const destination = new Writable({
    write(chunk, _encoding, done) {
      onLine(String(chunk))
      done()
    },
  })
  return createLogger({ name: 'test', pretty: false, destination })
}
