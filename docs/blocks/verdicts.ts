/** Every fenced block of the pages has one verdict, in their order, which says how it is tested. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkConfig } from '@tandem/party/config/load-config.ts'
import { ServiceConfig, SolverConfig } from '@tandem/party/config/schema.ts'
import { SignerConfig } from '@tandem/party/config/signer-schema.ts'
import { serviceExample, solverExample } from '../configuration-page.ts'

/** The chains that run: all of the local stack by `npm start`, or `tandem devnet` with the parties started by hand. */
export type Stack = 'start' | 'devnet'

export type Verdict =
  | {
      /** Its commands run as written, after those of the blocks above in the same shell. */
      readonly kind: 'commands'
      readonly stack: Stack
      /** Matches their output together. */
      readonly prints: RegExp
    }
  /** The end of this file of the clone, which commands of the page run. */
  | { readonly kind: 'saved'; readonly stack: Stack; readonly file: string }
  /** A part of a program: the module prepares these names and, as `done`, says that it worked. */
  | { readonly kind: 'fragment'; readonly stack: Stack; readonly module: string; readonly names: readonly string[] }
  | { readonly kind: 'checked'; readonly by: (text: string) => Promise<void>; readonly because: string }
  | { readonly kind: 'shown'; readonly because: string }

const commands = (stack: Stack, prints = /^/): Verdict => ({ kind: 'commands', stack, prints })
const saved = (file: string): Verdict => ({ kind: 'saved', stack: 'start', file })
const fragment = (module: string, ...names: readonly string[]): Verdict => ({ kind: 'fragment', stack: 'start', module, names })
const checked = (because: string, by: (text: string) => Promise<void>): Verdict => ({ kind: 'checked', by, because })
const shown = (because: string): Verdict => ({ kind: 'shown', because })

type Schema = typeof ServiceConfig | typeof SolverConfig | typeof SignerConfig

const loads = async (schema: Schema, value: unknown): Promise<void> => void (await checkConfig(schema, 'example.json', value))
const config = (schema: Schema): Verdict =>
  checked('its nodes are on public networks: the loader takes it', (text) => loads(schema, JSON.parse(text)))
type Change = (value: Record<string, unknown>) => object

/** Settings without the braces around them. */
const settingsOf = (schema: Schema, example: object, change: Change = (value) => value): Verdict =>
  checked('a part of a configuration: the loader takes it as part of the complete example', async (text) => {
    const part = JSON.parse(`{${text.replaceAll(/ \/\/ .*$/gm, '')}}`)
    await loads(schema, { ...example, ...change(part) })
  })
const settings = (change?: Change): Verdict => settingsOf(ServiceConfig, serviceExample, change)

/** The parts of a configuration that the page shows for chains and assets of an operator's own. */
async function ownRegistry(text: string): Promise<void> {
  const {
    web: _web,
    price_feed: _feed,
    limits: _limits,
    confirmations: _confirmations,
    earnings: _earnings,
    policy: _policy,
    ...others
  } = serviceExample
  const relay_key = { secp256k1: { file: 'keys/relay' }, ed25519: { file: 'keys/relay-ed25519' } }
  await loads(ServiceConfig, { ...others, relay_key, environment: 'local', ...JSON.parse(text) })
}

async function usesStory(text: string): Promise<void> {
  const source = await readFile(join(import.meta.dirname, '../../test/swaps/story.ts'), 'utf8')
  for (const [call] of text.matchAll(/(?<=story\.)\w+(?=\()|tellStory/g))
    if (!new RegExp(`^  ${call}\\(|function ${call}\\(`, 'm').test(source)) throw new Error(`a story has no ${call}`)
}

const picture = shown('a picture')
const message = shown('the form of a message')

/** The pages that have blocks. */
export const verdicts: Readonly<Record<string, readonly Verdict[]>> = {
  'README.md': [
    commands('start'),
    picture,
    saved('swap.ts'),
    commands('start', /^received$/m),
    commands('start', /"order_id":"[0-9a-f]{64}"/),
    commands('start', /Usage: tandem/),
    commands('devnet'),
    commands('start', / 0 FAILED[\s\S]*^[0-9a-f]{64}$/m),
    commands('devnet', /^Inventory$/m),
    commands('devnet'),
    commands('devnet', /[0-9a-f]{64}/),
    commands('start', /ethereum_localnet:usdc +0x[0-9a-f]{40}/),
  ],
  'CONTRIBUTING.md': [commands('start', /attack/), checked('an outline: a story has these parts', usesStory)],
  'packages/families/solana/contract/README.md': [picture, picture],
  'packages/protocol/README.md': [picture],
  'packages/families/starknet/contract/README.md': [shown('a program of the makers of Starknet, and a public network')],
  'packages/families/sui/contract/README.md': [shown('the framework of Sui, which is not on npm')],
  'docs/add-a-chain.md': [commands('start')],
  'docs/destination-gas.md': [commands('start', /"destination_gas":[\s\S]*"order_id"/), settings()],
  'docs/affiliates.md': [
    commands('start', /"order_id":"[0-9a-f]{64}"/),
    shown('a call of a contract, not of a program'),
    settings((part) => ({ earnings: { ...(part.earnings as object), asset: 'base_sepolia:usdc' } })),
    commands('start', /is recorded|are recorded[\s\S]*agree/),
  ],
  'docs/architecture.md': [picture, picture],
  'docs/configuration.md': [
    commands('start', / 0 FAILED[\s\S]*"properties"/),
    settings(({ rpc }) => ({ chains: { ...serviceExample.chains, base_sepolia: { endpoints: { rpc } } } })),
    checked('a part of a local configuration: the loader takes it; a story deploys and swaps the same', ownRegistry),
    config(ServiceConfig),
    config(SolverConfig),
  ],
  'docs/deploying.md': [commands('start', / 0 FAILED/)],
  'docs/events.md': [fragment('events', 'EventSource', 'baseUrl', 'orderId', 'appId'), message, commands('start', /wh_[0-9a-f]+/)],
  'docs/guides/client-held-secret.md': [
    saved('rescue.ts'),
    saved('rescue.ts'),
    saved('rescue.ts'),
    commands('start', /^12 words to write down$[\s\S]*^received$/m),
  ],
  'docs/guides/first-swap.md': [
    commands('start'),
    commands('start'),
    commands('start', /^you would get \d+$/m),
    commands('start', /^order [0-9a-f]{64}: deposit to bcrt1/m),
    commands('start'),
    commands('start', /^paid in 0x[0-9a-f]{64}$/m),
  ],
  'docs/guides/gasless.md': [saved('gasless.ts'), commands('start', /^paid$[\s\S]*^received$/m)],
  'docs/guides/run-a-solver.md': [
    commands('devnet', /^Inventory$/m),
    commands('start', /^[0-9a-f]{64}$/m),
    config(SolverConfig),
    commands('devnet', / 0 FAILED/),
  ],
  'docs/guides/run-your-own.md': [
    commands('start'),
    commands('start', /^[0-9a-f]{64}$/m),
    config(ServiceConfig),
    commands('devnet', / 0 FAILED/),
    commands('start', /^[0-9a-f]{64}$[\s\S]*my-shop/m),
  ],
  'docs/guides/webhooks.md': [commands('start', /whsec_/), saved('hook.ts'), commands('start'), commands('start', /wh_[0-9a-f]+/)],
  'docs/lifecycle.md': [picture],
  'docs/operating.md': [commands('start', /ann/), shown('a file of Prometheus')],
  'docs/prices.md': [settings()],
  'docs/refunds.md': [commands('devnet', /[0-9a-f]{64}/), commands('devnet', /[0-9a-f]{64}/), message],
  'docs/scale.md': [commands('devnet'), commands('devnet')],
  'docs/sdk.md': [
    commands('start'),
    fragment('rescue', 'baseUrl', 'appId', 'nodes'),
    fragment(
      'rescue',
      'newRescueKeys',
      'rescueKeys',
      'createTandem',
      'localStorage',
      'baseUrl',
      'appId',
      'nodes',
      'userAgreed',
      'wallet',
      'minToAmount',
      'show',
    ),
    fragment(
      'rescue',
      'rescueKeys',
      'createTandem',
      'localStorage',
      'baseUrl',
      'appId',
      'solverKeys',
      'esplora',
      'rpc',
      'phrase',
      'userAgreed',
      'wallet',
      'minToAmount',
      'onProgress',
      'signal',
    ),
    shown('wallets that a browser has; packages/sdk/src/wallets/wallets.test.ts compiles it'),
  ],
  'docs/signer.md': [picture, config(SignerConfig)],
  'docs/solana.md': [fragment('solana', 'VersionedTransaction', 'order', 'wallet', 'patch')],
  'docs/solver-protocol.md': [commands('start', /^[0-9a-f]{64}$[\s\S]*^[0-9a-f]{64}$/m), message, message, message],
  'docs/starknet.md': [fragment('starknet', 'account', 'order'), fragment('starknet-gasless', 'account', 'order', 'patch', 'stark')],
  'docs/sui.md': [fragment('sui', 'baseUrl', 'order', 'owner', 'keypair')],
  'docs/tron.md': [fragment('tron', 'tronWeb', 'tx', 'owner')],
  'docs/web.md': [commands('start', /^[0-9a-f]{64}$/m)],
  'docs/withdrawals.md': [settingsOf(SolverConfig, solverExample)],
  'docs/xrpl.md': [fragment('xrpl', 'Client', 'url', 'order', 'wallet')],
  'examples/README.md': [commands('start', /(^paid in (0x)?[0-9a-f]{64}$[\s\S]*){3}/m)],
  'examples/python-solver/README.md': [commands('devnet', /^0x[0-9a-f]{40}$/m)],
  'packages/sdk/README.md': [
    shown('the package is not in a registry; packages/sdk/package.nodes.test.ts packs and installs it'),
    shown('its service and nodes do not exist; packages/sdk/package.nodes.test.ts compiles it'),
  ],
}
