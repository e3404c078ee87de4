/** Block subscriptions by long polls of Bitcoin Core (`waitfornewblock`). Esplora has nothing like it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { NewBlocks } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { createProviderHttp } from '@tandem/chain-kit/providers/http.ts'
import { record } from '@tandem/chain-kit/providers/json.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import { createCoreRpc } from './json-rpc.ts'
import { asHash } from './node-json.ts'

/** The node answers after this time without a block. It counts as news, too: who is told nothing for long polls more often. */
const WAIT_MS = 20_000
const RETRY_MS = 5000

/** One long poll at each of the nodes, on a connection of its own. Undefined without nodes. */
export function newBlocksOf(endpoints: readonly Endpoint[]): NewBlocks | undefined {
  if (endpoints.length === 0) return undefined
  return (onBlock) => {
    const ends = endpoints.map((endpoint) => subscribe(endpoint, onBlock))
    return () => {
      for (const end of ends) end()
    }
  }
}

function subscribe(endpoint: Endpoint, onBlock: () => void): () => void {
  const http = createProviderHttp(endpoint)
  const rpc = createCoreRpc(http)
  const ending = new AbortController()

  async function waitForOne(): Promise<void> {
    asHash(record(await rpc.call('waitfornewblock', [WAIT_MS], WAIT_MS * 2)).hash)
    if (!ending.signal.aborted) onBlock()
  }

  /** A node that is away, or does not allow this call, costs one request in 5 s. Polls go on meanwhile. */
  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        await waitForOne()
      } catch (error) {
        if (!(error instanceof ChainFailure || error instanceof Refusal)) throw error
        await sleep(RETRY_MS, undefined, { signal: ending.signal, ref: false }).catch(() => undefined)
      }
    }
  }

  void run()
  return () => {
    ending.abort()
    http.close()
  }
}
