import type { InFlight } from '@tandem/party/store/solver/in-flight.ts'
import { expect, test } from 'vitest'
import { unrevealed } from './exposure.ts'

type Changes = {
  readonly admitted?: boolean
  readonly clientSecret?: boolean
  readonly paid?: boolean
  readonly settled?: 'source' | 'destination'
}

function flight({ admitted = true, clientSecret = true, paid = true, settled }: Changes = {}): InFlight {
  return {
    orderId: 'order',
    admitted,
    usdMicros: 7n,
    clientSecret,
    source: { chain: 'here', asset: 'here:coin', isSpent: settled === 'source', block: null },
    destination: { chain: 'there', asset: 'there:coin', amount: 5n, isPaid: paid, isSpent: settled === 'destination' },
  }
}

test.each<[string, Changes, bigint]>([
  ['whose secret its client keeps', {}, 7n],
  ['that is admitted and not mined', { paid: false }, 7n],
  ['that is not admitted', { admitted: false }, 0n],
  ['whose secret the service keeps', { clientSecret: false }, 0n],
  ['whose source is redeemed', { settled: 'source' }, 0n],
  ['that is redeemed or refunded', { settled: 'destination' }, 0n],
])('of a payment %s, so much waits for a secret', (_, changes, worth) => {
  expect(unrevealed([flight(changes)])).toBe(worth)
  expect(unrevealed([flight(), flight(changes)])).toBe(7n + worth)
})
