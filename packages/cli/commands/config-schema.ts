/** `tandem config` prints the JSON Schema of a party's configuration, for editors. */
import { ServiceConfig, SolverConfig } from '@tandem/party/config/schema.ts'
import { SignerConfig } from '@tandem/party/config/signer-schema.ts'
import type { Terminal } from './terminal.ts'

const schemas = { service: ServiceConfig, solver: SolverConfig, signer: SignerConfig } as const

export async function configSchemaCommand(party: string, terminal: Terminal): Promise<void> {
  if (party !== 'service' && party !== 'solver' && party !== 'signer')
    throw new Error(`--schema takes "service", "solver" or "signer", got "${party}"`)
  terminal.answer(JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schemas[party] }, null, 2))
}
