/** Opens TronWeb for a simulator. The limit only ends a request that hangs: on a busy machine an answer may take longer than TronWeb waits by itself. */
import { providers, TronWeb } from 'tronweb'

const LIMIT_MS = 120_000

export function openTronWeb(url: string, privateKey: string): TronWeb {
  return new TronWeb({ fullHost: new providers.HttpProvider(url, LIMIT_MS), privateKey })
}
