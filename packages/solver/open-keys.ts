/** The keys of a solver are in its own process, or in that of its signer, which is asked for each signature. */
import { readFile } from 'node:fs/promises'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { createAskedKey } from '@tandem/keys/asked-keys.ts'
import type { Keyring } from '@tandem/keys/keyring.ts'
import { readAskedKeyring, readKeyring } from '@tandem/party/config/keyring.ts'
import { type LoadedConfig, releaseLogOf } from '@tandem/party/config/load-config.ts'
import type { SolverConfig } from '@tandem/party/config/schema.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Keep } from '@tandem/runtime/closing.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { createSignerClient, type SignerAddress, type SignerClient } from '@tandem/signer/client.ts'

export type OpenKeys = {
  readonly keys: Keyring
  /** Rejects if the signer has another key of a chain. */
  verifySigner(clients: ReadonlyMap<ChainId, ChainClient>): Promise<void>
}

export async function openKeys(loaded: LoadedConfig<SolverConfig>, log: Pick<Logger, 'warn'>, keep: Keep): Promise<OpenKeys> {
  const { config, pathOf, readSecret } = loaded
  const { signer } = config
  if (signer === undefined) return { keys: await readKeyring(config.private_key, loaded), verifySigner: async () => undefined }
  const client = await createSignerClient({
    address: await addressOf(loaded, signer),
    key: createSigningKey(await readSecret(config.signing_key)),
    publicKey: signer.public_key,
    headFile: `${pathOf(releaseLogOf(config))}.signer`,
  })
  keep(async () => client.close())
  const keys = await readAskedKeyring(config.private_key, loaded, (publicKey) => createAskedKey(publicKey, client))
  return {
    keys,
    async verifySigner(clients) {
      const held = await heldBy(client)
      if (held === null) {
        log.warn('the signer does not answer: nothing is signed until it does')
        return
      }
      for (const chain of clients.values()) {
        const own = Buffer.from(keys.of(chain).publicKey).toString('hex')
        const { id } = chain.chain
        if (held[id] !== own)
          throw new Error(
            `/private_key: the key of ${id} is ${own}, and that of the signer ${held[id] ?? 'is missing'}: see \`tandem signer status\``,
          )
      }
    },
  }
}

/** Returns null while it does not answer: a solver must not wait for it to watch its chains. */
async function heldBy(client: SignerClient): Promise<Readonly<Record<ChainId, string>> | null> {
  try {
    return (await client.status()).keys
  } catch (error) {
    if (error instanceof ChainFailure && error.kind === 'unreachable') return null
    throw error
  }
}

/** The process that has the keys of this solver, as its configuration names it. */
export async function addressOf(
  { pathOf, readSecret }: LoadedConfig<SolverConfig>,
  signer: NonNullable<SolverConfig['signer']>,
): Promise<SignerAddress> {
  const { socket, url, tls } = signer
  if (socket !== undefined) return { socket: pathOf(socket) }
  if (url === undefined || tls === undefined) throw new Error('/signer needs either /socket, or /url with /tls')
  const [key, cert, ca] = await Promise.all([readSecret(tls.key), readFile(pathOf(tls.cert), 'utf8'), readFile(pathOf(tls.ca), 'utf8')])
  return { url, tls: { key, cert, ca } }
}
