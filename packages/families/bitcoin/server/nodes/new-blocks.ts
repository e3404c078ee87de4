/** Subscribes to blocks by long polls of Bitcoin Core (`waitfornewblock`). Esplora has no such call. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { NewBlocks } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { createProviderHttp } from '@tandem/chain-kit/providers/http.ts'
import { record } from '@tandem/chain-kit/providers/json.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import { createCoreRpc } from './core-rpc.ts'
import { asHash } from './node-json.ts'

/** The node answers after this time without a block. That counts as a notification too, because the watcher polls more often when it gets none. */
const WAIT_MS = 20_000
const RETRY_MS = 5000

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

  /** A node that does not answer or does not allow this call costs one request every 5 s. The usual polls go on. */
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
