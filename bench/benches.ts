/** The benchmarks that `npm run bench` lists. */

import { addressesBench } from './addresses.ts'
import { apiBench } from './api/api.ts'
import { attackBench } from './attack.ts'
import type { Bench } from './bench.ts'
import { costsBench } from './costs.ts'
import { eventsBench } from './events/events.ts'
import { gasBench } from './gas.ts'
import { latencyBench } from './latency.ts'
import { loadBench } from './load/load.ts'
import { openBench } from './open.ts'
import { rpcBench } from './rpc/rpc.ts'
import { signerBench } from './signer.ts'
import { vbytesBench } from './vbytes.ts'

export const benches: readonly Bench[] = [
  gasBench,
  vbytesBench,
  latencyBench,
  loadBench,
  signerBench,
  apiBench,
  attackBench,
  rpcBench,
  costsBench,
  openBench,
  addressesBench,
  eventsBench,
]
