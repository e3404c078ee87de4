/** Engines write the public keys of the relay to the database for processes that have no private key. */
import { setTimeout as sleep } from 'node:timers/promises'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { PublicKey } from '@tandem/keys/key.ts'
import { createKeyring, curves, type Keyring, type PublicKeyring } from '@tandem/keys/keyring.ts'
import { publishRelayKeys, readRelayKeys } from '@tandem/party/store/actions/relay-keys.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import type { Logger } from '@tandem/runtime/log.ts'

const WAIT_MS = 60_000
const POLL_MS = 500

export async function publishIdentity(db: Database, relay: Keyring): Promise<void> {
  const keys = curves.flatMap((curve) => relay.findByCurve(curve) ?? [])
  await publishRelayKeys(
    db,
    keys.map(({ curve, publicKey }) => ({ curve, publicKey: bytesToHex(publicKey) })),
  )
}

/** A new database has no key until its first engine starts, so this waits for one. */
export async function readIdentity(db: Database, log: Logger, waitMs = WAIT_MS): Promise<PublicKeyring> {
  const endsAtMs = performance.now() + waitMs
  for (let isFirst = true; ; isFirst = false) {
    const keys = (await readRelayKeys(db)).flatMap(({ curve, publicKey }): PublicKey[] => {
      const known = curves.find((one) => one === curve)
      return known === undefined ? [] : [{ curve: known, publicKey: hexToBytes(publicKey) }]
    })
    if (keys.length > 0) return createKeyring(keys)
    if (isFirst) log.warn('waiting for the first engine of this database: start one with `tandem start --role engine`')
    if (performance.now() >= endsAtMs)
      throw new Error('no engine has run on this database yet: start one with `tandem start --role engine`, then this process')
    await sleep(POLL_MS)
  }
}
