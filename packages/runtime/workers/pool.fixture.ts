/** Tests of the pool run these jobs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { threadId } from 'node:worker_threads'
import { TandemError } from '@tandem/protocol/error.ts'
import { Moving } from './moving.ts'

export const testModule = import.meta.url

export const jobs = {
  add: (a: bigint, b: bigint) => a + b,
  thread: () => threadId,
  async wait(ms: number) {
    await sleep(ms)
    return threadId
  },
  loop() {
    for (;;);
  },
  refuse() {
    throw new TandemError('invalid_signature', 'not this one')
  },
  fail() {
    throw new RangeError('out of range')
  },
  die: () => process.exit(3),
  reverse: (bytes: Uint8Array<ArrayBuffer>) => new Moving(bytes.reverse(), [bytes.buffer]),
  environment: () => Object.keys(process.env),
}
