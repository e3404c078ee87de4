/** The text of docs/configuration.md: every setting of both parties and of a signer, from their schemas, and an example of each party. */

import { familyNamed } from '@tandem/families/index.ts'
import { addableFamily, environments } from '@tandem/families/registry.ts'
import { ServiceConfig, SolverConfig } from '@tandem/party/config/schema.ts'
import { SignerConfig } from '@tandem/party/config/signer-schema.ts'
import { environmentNames } from '@tandem/protocol/registry/environment.ts'
import type { TSchema } from 'typebox'
import { deploymentsExample, pricesExample, registryExample } from './registry-example.ts'

/** The parts of JSON Schema that the schemas use. */
type Node = {
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly patternProperties?: Readonly<Record<string, Node>>
  readonly items?: Node
}

type Row = { readonly setting: string; readonly value: string; readonly needed: string; readonly meaning: string }

/** Placeholders for the keys of a map in the reference. */
const keysOf: Readonly<Record<string, string>> = {
  chains: '<chain>',
  usd: '<chain>',
  chain_hour: '<chain>',
  unfinal: '<chain>',
  endpoints: '<kind>',
  symbols: '<market>',
  contracts: '<market>',
}

function rowsOf(node: Node, place: readonly string[], isNeeded: boolean): readonly Row[] {
  const name = place.at(-1) ?? ''
  const row: Row = {
    setting: `\`${place.join('.')}\``,
    value: describeValue(node),
    needed: isNeeded ? 'yes' : node.default === undefined ? '' : `\`${JSON.stringify(node.default)}\``,
    meaning: node.description ?? '',
  }
  const own = place.length === 0 || row.meaning === '' ? [] : [row]
  const entries = Object.values(node.patternProperties ?? {}).flatMap((inner) =>
    rowsOf(inner, [...place, keysOf[name] ?? '<asset>'], false),
  )
  const items = node.items === undefined ? [] : rowsOf(node.items, [...place.slice(0, -1), `${name}[]`], true)
  const properties = Object.entries(node.properties ?? {}).flatMap(([key, inner]) =>
    rowsOf(inner, [...place, key], node.required?.includes(key) ?? false),
  )
  return [...own, ...entries, ...items, ...properties]
}

function describeValue({ title, type, minimum, maximum, patternProperties }: Node): string {
  if (title !== undefined) return title
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`
  if (type === 'boolean') return 'true or false'
  if (type === 'array') return 'a list'
  if (type === 'object') return patternProperties === undefined ? 'an object' : 'a map'
  return 'a text'
}

function table(schema: TSchema): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const rows = rowsOf(schema as Node, [], true).map(
    ({ setting, value, needed, meaning }) => `| ${[setting, cell(value).replaceAll('<', '&lt;'), needed, cell(meaning)].join(' | ')} |`,
  )
  return ['| setting | value | needed, or default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

const commonExample = {
  environment: 'testnet',
  metrics: { host: '127.0.0.1', port: 9100 },
  log_level: 'info',
  chains: {
    bitcoin_testnet: {
      endpoints: {
        rpc: { file: 'keys/bitcoin-rpc-url' },
        esplora: ['https://esplora.example/testnet/api', 'https://other.example/testnet/api'],
      },
      quorum: 2,
    },
    ethereum_sepolia: {
      endpoints: { rpc: [{ env: 'SEPOLIA_RPC_URL' }, 'https://one.example/rpc', 'https://other.example/rpc'] },
      quorum: 2,
    },
    base_sepolia: { endpoints: { rpc: { env: 'BASE_SEPOLIA_RPC_URL' } } },
  },
  registry: {
    assets: {
      'base_sepolia:own': {
        token: '0x4444444444444444444444444444444444444444',
        name: 'Own Token',
        symbol: 'OWN',
        decimals: 18,
        min: '1000000000000000000',
        max: '1000000000000000000000',
        icon: { text: 'OWN', color: '#336699' },
      },
    },
  },
  deployments: {
    'ethereum_sepolia:usdc': { htlc: '0x1111111111111111111111111111111111111111' },
    'base_sepolia:usdc': { htlc: '0x2222222222222222222222222222222222222222' },
  },
  prices: { 'base_sepolia:usdc': '1' },
  price_feed: {
    sources: [
      { kind: 'coinbase' },
      { kind: 'kraken' },
      { kind: 'bitstamp' },
      { kind: 'bitfinex' },
      { kind: 'oracle', chain: 'ethereum_sepolia', contracts: { BTC: '0x3333333333333333333333333333333333333333' } },
    ],
    min_sources: 3,
    markets: { 'base_sepolia:cbltc': 'LTC' },
  },
  limits: { 'bitcoin_testnet:btc': { min: '20000', max: '5000000' } },
  confirmations: { 'bitcoin_testnet:btc': [{ from: '1000000', confirmations: 3 }] },
} as const

export const serviceExample = {
  engine_health: { host: '127.0.0.1', port: 9101 },
  ...commonExample,
  database_url: { env: 'TANDEM_DATABASE_URL' },
  listen: { host: '127.0.0.1', port: 8080 },
  public_url: 'https://swap.example',
  release_log: 'releases-service.log',
  vault_key: { file: 'keys/vault' },
  relay_key: { file: 'keys/relay' },
  solver_signing_key: { file: 'keys/solver-signing' },
  solvers: [{ id: 'first-solver', url: 'https://solver.example', public_key: '33'.repeat(32) }],
  fees: { service_bips: 5, max_affiliate_bips: 100 },
  earnings: { signing_key: { file: 'keys/claims' }, asset: 'base_sepolia:usdc' },
  destination_gas: { usd: { base_sepolia: '0.20' }, solvers: ['first-solver'] },
  max_quote_deviation_bips: 300,
  instant_refunds: { owner_usd_per_day: '5', app_usd_per_day: '500' },
  quote_budget_ms: 400,
  cosign_gather_seconds: 5,
  policy: {
    default: 'open',
    isolation_groups: ['bitcoin_testnet:btc <-> ethereum_sepolia:*'],
    blacklist_pairs: ['*:usdc <-> *:usdc'],
    whitelist_overrides: ['base_sepolia:usdc -> ethereum_sepolia:usdc'],
  },
  app_id_headers: ['service-app-id'],
  rate_limit: { per_minute: 600 },
  event_streams: { per_process: 10_000, per_app: 5_000, per_address: 100 },
  webhooks: { allow_private: false },
  web: { app_id: '44'.repeat(32), nodes: { bitcoin_testnet: 'https://esplora.example/api' } },
  trusted_proxies: ['127.0.0.1'],
  public_feed: false,
  allow_any_origin: false,
}

export const solverExample = {
  ...commonExample,
  solver_id: 'first-solver',
  database_url: { env: 'TANDEM_DATABASE_URL' },
  listen: { host: '127.0.0.1', port: 9000 },
  release_log: 'releases-first-solver.log',
  private_key: { file: 'keys/solver' },
  signing_key: { file: 'keys/signing' },
  services: [{ id: 'first-service', public_key: '44'.repeat(32) }],
  spread_bips: 30,
  fixed_fee_usd: '0.5',
  quote_seconds: 60,
  price_hold_seconds: 1800,
  redeem_wait_seconds: 3600,
  risk: { caps: { pair: { open_usd: '500000' }, app: { window_usd: '250000' }, owner: { open_orders: 20, open_usd: '50000' } } },
  withdrawals: {
    addresses: { ethereum: ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'] },
    delay_seconds: 900,
    max_usd_per_day: '250000',
  },
  pricing: {
    price_tolerance_bips: 200,
    volatility_percent: 40,
    network_cost_percent: 100,
    inventory_skew_bips: 50,
    inventory_targets: { 'bitcoin_testnet:btc': '100000000' },
  },
}

/** JSON with short objects and lists on one line. */
function json(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replaceAll(/[{[]\s+([^{}[\]]{1,90}?)\s+[}\]]/g, (whole) => whole.replaceAll(/\s+/g, ' '))
  return `\`\`\`json\n${text}\n\`\`\``
}

function endpointKinds(): readonly string[] {
  const names = new Set(Object.values(environments).flatMap(({ chains }) => chains.map(({ family }) => family)))
  return [...names].flatMap((name) => {
    const kinds = familyNamed(name)?.endpointKinds.map((kind) => `\`${kind}\``)
    return kinds === undefined ? [] : [`- \`${name}\`: ${kinds.join(', ')}`]
  })
}

/** What can be added, by family: kinds of chains, the form of a reference, and the form of a token. */
function additions(): string {
  const names = new Set(Object.values(environments).flatMap(({ chains }) => chains.map(({ family }) => family)))
  const rows = [...names].flatMap((name) => {
    const family = addableFamily(name)
    if (family === null) return []
    const kinds = [...new Set(environmentNames.flatMap((environment) => Object.keys(family.kinds[environment])))]
    const chains = kinds.length === 0 ? 'none' : `${kinds.map((kind) => `\`${kind}\``).join(', ')}; reference ${family.reference.example}`
    return `| \`${name}\` | ${chains.replaceAll('<', '&lt;')} | ${family.token?.form.replaceAll('<', '&lt;') ?? 'none'} |`
  })
  return ['| family | kinds of chains | token |', '| --- | --- | --- |', ...rows].join('\n')
}

const example = {
  chains: {
    own_localnet: { endpoints: { rpc: 'http://127.0.0.1:8545' } },
    solana_localnet: { endpoints: { rpc: 'http://127.0.0.1:8899' } },
  },
  registry: registryExample({
    dollar: '0x3333333333333333333333333333333333333333',
    gold: 'So11111111111111111111111111111111111111112',
  }),
  deployments: deploymentsExample,
  prices: pricesExample,
}

export function configurationPage(): string {
  const chains = Object.entries(environments).map(
    ([name, { chains: known }]) => `- \`${name}\`: ${known.map(({ id }) => `\`${id}\``).join(', ')}`,
  )
  return `<!-- Written by \`npm run docs\` from packages/party/config/schema.ts. Do not edit. -->

# Configuration

One JSON file for the service, one for each solver. An unknown key is refused, and so is a chain or an asset that the environment
does not have; the message names the place and suggests the closest name, and never quotes a value. \`npm start\` writes both files into \`.tandem\` for the local chains.

\`\`\`sh
tandem doctor --config service.json    # shows it without secrets; checks database (whose it is, too), each node, contracts, solvers; says what to do
tandem config --schema service         # the JSON Schema, for editors
\`\`\`

The file never contains a secret, only where it is. Paths are relative to the configuration file, and programs run in its folder:

- \`{"file": "keys/vault"}\`: a file. If others than its owner can open it, the log and \`tandem doctor\` warn.
- \`{"file": "keys/vault", "passphrase": {"env": "NAME"}}\`: a file that \`tandem keys create --encrypt\` or \`tandem keys encrypt\` wrote. The passphrase is in a variable, in another file, or comes from a program.
- \`{"env": "NAME"}\`: an environment variable.
- \`{"command": ["pass", "show", "tandem/vault"]}\`: what this program prints. It runs without a shell and without input, and has 10 seconds.

The same forms work for URLs of nodes and databases, which often contain a password or a key.

Chains, by environment:

${chains.join('\n')}

Kinds of endpoints, by family:

${endpointKinds().join('\n')}

The URL of a Bitcoin Core node is \`http://user:password@host:port\`. A Bitcoin chain takes any number of both kinds.
A node that needs an API key in a header is an object, for every kind of endpoint; the value is in a file or in a variable, and no log, error, figure or page shows it:

\`\`\`json
"rpc": { "url": "https://node.example/rpc", "headers": { "x-api-key": { "file": "/run/secrets/node-key" } }, "requests_per_second": 20 }
\`\`\`

Headers are sent to that host only: a redirect is not followed. \`tandem doctor\` says where each comes from. A provider that answers 429 is left alone for the time that it names (30 s at most), with one warning in ten minutes.
A \`ws\` URL is optional, beside \`rpc\`: its node says at once when there is a new block (\`eth_subscribe\`, on Solana \`slotSubscribe\`, on Starknet \`starknet_subscribeNewHeads\`), and polls go on. Bitcoin Core does the same over \`rpc\`. The XRP Ledger has \`ws\` only, for everything.

An asset is active when its chain is served and its contracts are deployed: those of \`packages/families/deployments/<environment>.json\`, and your own in
\`deployments\`. The Bitcoin family and the XRP Ledger need none.
If a node does not answer when a party starts, only its chain waits. If a node serves another chain, the party does not start.

\`relay_key\` and \`private_key\` are one secp256k1 key, or an object with a key for each curve: \`{"secp256k1": {"file": "keys/solver"}, "ed25519": {"file":
"keys/solver-ed25519"}}\`. Only the curves that the served chains sign with are needed. In \`private_key\` a chain may have a key of its own, which no other chain uses:
\`{"secp256k1": {"file": "keys/solver"}, "chains": {"ethereum": {"command": ["pass", "show", "tandem/ethereum"]}}}\`. Where only addresses are needed, \`{"public_key": "<hex>"}\` replaces a key: [operating.md](operating.md#keys).

## Several nodes for one chain

Every kind of endpoint takes a list. Transactions are broadcast to all nodes. Other requests go to one node until it fails, is slow, rate-limits us or
falls behind; then the next node takes over, and the first is tried again later.

- With \`quorum\` 1 (the default) each node is trusted alone.
- With \`quorum\` k, blocks, events, receipts and contract states need k equal answers. The newest block is the highest that k nodes have.
- Up to k − 1 lying nodes cannot make a party pay, even together. They cannot stop it while k honest nodes keep up: a late node is suspended only
  if the others agree without it.
- A transaction that fewer than k nodes accept while others refuse it counts as refused.
- While fewer than k agree, nothing is believed and nothing is paid. The log and \`doctor\` say which hosts differ.
- Two URLs of one host are refused with a quorum above 1. Two host names of one operator would count twice: choose different operators.
- A chain without \`endpoints\` uses the public nodes of the registry with a quorum of 2.

Bitcoin-family nodes of both kinds count alike: \`"endpoints": { "rpc": [A, B], "esplora": [C] }, "quorum": 2\` needs two of the three. Headers need k
nodes; the content of a block comes from any one of them, because its merkle root and witness commitment prove it. Unconfirmed transactions, unspent
outputs and the coins of a wallet count when k nodes show them. With \`quorum\` 1 and one node of each kind, Core answers everything except
the coins of an address, which Esplora lists from its index. Esplora servers without raw blocks work too: then k of them must show
the same history of each address. A look into the mempool asks for 20 addresses, those of funded orders first and of all others in turn, and for those that showed a payment; a deposit that it misses is seen in its block.

## Chains and assets of your own

\`registry\` adds chains of a known family, and assets on any chain, without a change of the code. They then work like those of the registry: in the API, quotes, orders, \`tandem deploy\`,
\`tandem doctor\`, the solver, the pages and their icons. The same section goes into the configuration of the service and of each solver, and into the option \`registry\` of the SDK.

${additions()}

The kind \`local\` is for the environment \`local\`, the others for \`testnet\` and \`mainnet\`. A kind has clock, margins, timelocks and finality; \`block_ms\`, \`fastest_block_ms\`,
\`slowest_block_ms\`, \`confirmations\`, \`final_blocks\`, \`finality_tag\` and \`timelocks\` override it. \`fast\` is for any other EVM chain with a sequencer or fast finality, and needs \`block_ms\`
and \`confirmations\`. \`details\` of EVM chains: \`gas_price\` (\`eip1559\` or \`legacy\`), \`data_fee\` (\`none\`, \`in-gas\`, \`op-stack\` or \`citrea\`), \`max_gwei_per_gas\` (the most that is ever
offered, in quotes) and \`hides_unmined\` (true where nodes do not show unmined transactions).

1. Write the section, and the nodes of the chain in \`chains\`.
2. \`tandem deploy --chain <chain> --config service.json --key-file <key> --out deployed.json\` deploys the HTLCs of its assets. It refuses a token that is not there, or has other decimals.
3. Name the contracts in \`deployments\` and prices in \`prices\`, in both configurations; a \`market\` with \`price_feed\` needs no fixed price.
4. \`tandem doctor\` of each party shows them under \`registry\`, and compares code and decimals with the chain under \`contracts\`; that of the service compares its list with each solver's.

An EVM chain has deposit addresses (\`takes_deposits\` of \`GET /chains\`) only if a call showed, when the party started, that it executes what they need: CREATE2 (EIP-1014), transient storage (EIP-1153) and SELFDESTRUCT. Its
nodes must simulate with state overrides; the log says if they do not. A call cannot show that the chain removes a contract that destroys itself in the transaction that created it (EIP-6780): do not add a chain without that, or second payments stay
there for ever.

An example in the environment \`local\`: an EVM chain with its coin and a token, and a token of another family.

${json(example)}

What is refused, each with its place:

- a name that the registry has, in any environment; a token under two names; two served chains with one reference
- timelocks that are not safe for every pair of served chains, or leave no time to show the secret; a pace or confirmations beyond the margins of the kind
- an address of another form or with a wrong checksum; names, icons and explorers that are not plain text or https
- at the start of a party: a node of another chain, code at a contract that is not ours, a token with other decimals, each by a quorum of the nodes
- a quote and an order whose chain, contracts, decimals or timelocks the service lists otherwise than the solver: before the user pays

To stop, remove the chain from \`chains\` or the asset from \`deployments\`, and keep the section: older orders name it.

An app pins the same section: \`createTandem({ …, registry: { environment: 'mainnet', chains, assets } })\`. It has it from the operator and ships it with its code. The SDK takes nothing of it from the service.

## Service

${table(ServiceConfig)}

${json(serviceExample)}

## Solver

${table(SolverConfig)}

${json(solverExample)}

## Signer

A process that has the keys of a solver: [a signer that can say no](signer.md), which has an example.

${table(SignerConfig)}
`
}
