/** `tandem deploy --distributor` deploys the contract that pays affiliates by the signatures of a service. */
import { connectChain } from '@tandem/families/index.ts'
import type { SigningPlace } from '@tandem/keys/keyring.ts'
import { readPublicKeyring } from '@tandem/party/config/keyring.ts'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { ServiceConfig } from '@tandem/party/config/schema.ts'
import type { DeployTarget } from './deploy-target.ts'
import { type KeyOptions, readKey } from './read-key.ts'
import type { Terminal } from './terminal.ts'

type Options = KeyOptions & {
  readonly config?: string
  readonly dryRun?: boolean
  readonly bringDeployer?: boolean
  readonly json?: boolean
}

/** The address is not listed in a file, because it follows from the key that signs claims. */
export async function deployDistributor({ environment, chain, nodes }: DeployTarget, options: Options, terminal: Terminal): Promise<void> {
  const client = await connectChain(chain, { ...nodes, assets: [] })
  try {
    const { distributor, curve } = client
    if (distributor === undefined) throw new Error(`affiliates cannot be paid by a contract on ${chain.id}`)
    const key = await readClaimKey(options, client)
    await client.verifyNode()
    const payer = await readKey(options, curve)
    const dryRun = options.dryRun === true
    const { contract, tx, codeHash } = await distributor.deploy({
      key,
      signer: payer.signerFor({ kind: 'deploy', chain: chain.id, asset: null }),
      dryRun,
      bringDeployer: options.bringDeployer === true,
      onProgress: terminal.note,
    })
    const record = { dry_run: dryRun, environment, chain: chain.id, distributor: contract, tx, code_hash: codeHash }
    terminal.answer(options.json === true ? JSON.stringify(record, null, 2) : `${chain.id}  ${contract}  ${wordFor(tx, dryRun)}`)
  } finally {
    await client.close()
  }
}

function wordFor(tx: string | null, dryRun: boolean): string {
  if (tx !== null) return `deployed in ${tx}`
  return dryRun ? 'planned' : 'deployed before'
}

async function readClaimKey({ config }: Options, client: SigningPlace) {
  if (config === undefined) throw new Error('--distributor needs --config: the contract pays by the signatures of that service')
  const loaded = await loadConfig(ServiceConfig, config)
  if (loaded.config.earnings === undefined) throw new Error(`${config} has no "earnings": docs/affiliates.md says how to pay affiliates`)
  const key = (await readPublicKeyring(loaded.config.earnings.signing_key, loaded)).find(client)
  if (key === null) throw new Error(`${config}: /earnings/signing_key has no ${client.curve} key, which this chain needs`)
  return key
}
