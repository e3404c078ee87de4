/** Opens xrpl.js for a simulator. The limits only end a request that hangs: on a busy machine an answer may take longer than xrpl.js waits by itself. */
import { Client } from 'xrpl'

const LIMIT_MS = 120_000

export async function openXrplClient(url: string): Promise<Client> {
  const client = new Client(url, { connectionTimeout: LIMIT_MS, timeout: LIMIT_MS })
  await client.connect()
  return client
}
