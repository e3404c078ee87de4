/** `tandem signer` runs a signer from its configuration file, asks one, and does what only an operator may. */
import { readFile } from 'node:fs/promises'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { SolverConfig } from '@tandem/party/config/schema.ts'
import { SignerConfig } from '@tandem/party/config/signer-schema.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { parseAmount } from '@tandem/protocol/amount.ts'
import { createApproval } from '@tandem/signer/approvals.ts'
import { createSignerClient } from '@tandem/signer/client.ts'
import { confirmRestore } from '@tandem/signer/confirm-restore.ts'
import { paysOf } from '@tandem/signer/journal/history.ts'
import { startSigner } from '@tandem/signer/main.ts'
import type { SignerStatus } from '@tandem/signer/wire/protocol.ts'
import { addressOf } from '@tandem/solver/open-keys.ts'
import { type RunOptions, runWithConfig } from './run-with-config.ts'
import type { Terminal } from './terminal.ts'

export function runSigner(options: RunOptions): Promise<void> {
  return runWithConfig('signer', (path) => loadConfig(SignerConfig, path), startSigner, options)
}

export async function signerStatusCommand(path: string, terminal: Terminal): Promise<void> {
  const status = await readSignerStatus(path)
  terminal.answer(JSON.stringify(status, null, 2))
  if (status.held !== null) terminal.note(`It holds: ${status.held}`)
}

/** Asks the signer of the solver with this configuration file. */
export async function readSignerStatus(path: string): Promise<SignerStatus> {
  const loaded = await loadConfig(SolverConfig, path)
  const { signer, signing_key: signingKey } = loaded.config
  if (signer === undefined) throw new Error(`${path} names no signer: this solver has its keys itself`)
  const client = await createSignerClient({
    address: await addressOf(loaded, signer),
    key: createSigningKey(await loaded.readSecret(signingKey)),
    publicKey: signer.public_key,
    headFile: null,
  })
  try {
    return await client.status()
  } finally {
    client.close()
  }
}

type ApproveOptions = {
  readonly keyFile: string
  readonly chain: string
  readonly asset: string
  readonly to: string
  readonly amount: string
}

export async function approveCommand({ keyFile, chain, asset, to, amount }: ApproveOptions, terminal: Terminal): Promise<void> {
  const key = createSigningKey((await readFile(keyFile, 'utf8')).trim())
  const pays = paysOf({ chain, asset, recipient: to, amount: parseAmount(amount).toString() })
  terminal.answer(JSON.stringify(createApproval(key, pays)))
  terminal.note(`It approves ${pays}, once. Put it as a file into the folder of approvals of the signer.`)
}

export async function confirmSignerCommand(
  { config, yes }: { readonly config: string; readonly yes: boolean },
  terminal: Terminal,
): Promise<void> {
  const loaded = await loadConfig(SignerConfig, config, 'database')
  const held = await confirmRestore(loaded.pathOf(loaded.config.journal), yes)
  if (held === null) terminal.note('The signer holds nothing: there is nothing to confirm.')
  else
    terminal.note(
      yes ? 'Confirmed: start the signer again.' : `It holds, because ${held}. With --yes it signs again for what the journal lacks.`,
    )
}
