/** The schemas of the configuration files of service and solver. Their descriptions are the reference in docs/configuration.md. */

import { logLevels } from '@tandem/runtime/log.ts'
import { type Static, Type } from 'typebox'
import { PriceFeedConfig } from './price-feed-schema.ts'
import { RegistryConfig } from './registry-schema.ts'

export const strict = { additionalProperties: false } as const

const PlainFile = Type.Object({ file: Type.String({ minLength: 1 }) }, strict)
const Env = Type.Object({ env: Type.String({ minLength: 1 }) }, strict)
/** The program runs without a shell, and what it prints is the secret. */
const Command = Type.Object({ command: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 64 }) }, strict)
/** A file with a passphrase is one that `tandem keys` encrypted. */
const File = Type.Object({ file: Type.String({ minLength: 1 }), passphrase: Type.Optional(Type.Union([PlainFile, Env, Command])) }, strict)

const REFERENCE = '{"file": "<path>"}, {"env": "<variable>"} or {"command": ["<program>", …]}'

/** `title` says what is expected, for errors and for the reference. */
export const Secret = (description: string) =>
  Type.Union([File, Env, Command], { title: `${REFERENCE}, never the secret itself`, description })

const Text = (description: string) =>
  Type.Union([Type.String({ minLength: 1 }), File, Env, Command], { title: `a text, ${REFERENCE}`, description })

/** Enough to watch: for addresses, balances and public keys. What must sign refuses it. */
const PublicKeyOnly = Type.Object({ public_key: Type.String({ pattern: '^[0-9a-f]{64,66}$' }) }, strict)

const WATCHING = 'to watch only, {"public_key": "<hex>"}'

export const SigningKey = (description: string) =>
  Type.Union([File, Env, Command, PublicKeyOnly], { title: `${REFERENCE}, never the key itself; ${WATCHING}`, description })

const aKey = (of: string) =>
  Type.Union([File, Env, Command, PublicKeyOnly], { title: `a reference to the key of ${of}, never the key itself; ${WATCHING}` })

const byCurve = {
  secp256k1: Type.Optional(aKey('secp256k1')),
  ed25519: Type.Optional(aKey('ed25519')),
  stark: Type.Optional(aKey('stark')),
}

/** One key for each curve that the served chains need. No key is derived from another. */
const Keys = (description: string) =>
  Type.Union([File, Env, Command, PublicKeyOnly, Type.Object(byCurve, strict)], {
    title: `${REFERENCE}; ${WATCHING}; or one of these for each curve: {"secp256k1": …, "ed25519": …, "stark": …}`,
    description,
  })

const byCurveAndChain = Type.Object({ ...byCurve, chains: Type.Optional(Type.Record(Type.String(), aKey('a chain'))) }, strict)

export const ChainKeys = (description: string) =>
  Type.Union([File, Env, Command, PublicKeyOnly, byCurveAndChain], {
    title: `${REFERENCE}; ${WATCHING}; or one of these for each curve and each chain with a key of its own: {"secp256k1": …, "ed25519": …, "stark": …, "chains": {"<chain>": …}}`,
    description,
  })

const MAX_URLS = 16

const Url = Type.Union([Type.String({ minLength: 1 }), File, Env, Command])

const NodeWithHeaders = Type.Object(
  {
    url: Url,
    headers: Type.Optional(Type.Record(Type.String(), Type.Union([File, Env, Command]))),
    requests_per_second: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  },
  strict,
)

const OneNode = Type.Union([...Url.anyOf, NodeWithHeaders])

const Nodes = Type.Union([...OneNode.anyOf, Type.Array(OneNode, { minItems: 1, maxItems: MAX_URLS })], {
  title: `a URL as a text, ${REFERENCE}; or {"url": <such a URL>, "headers": {"<name>": {"file": …}, {"env": …} or {"command": …}}, "requests_per_second": <number>}; or a list of such`,
  description:
    'One node, or several: if one fails, another takes over. `headers` are sent with every request to that node, such as an API key; their values are never in this file. ' +
    '`requests_per_second` limits the requests over HTTP. Default: no limit, but 10 for an Esplora server on another machine.',
})

export type EndpointConfig = Static<typeof OneNode>

export type SecretReference = Static<typeof File> | Static<typeof Env> | Static<typeof Command>

/** A key, or only its public half. */
export type KeyReference = SecretReference | Static<typeof PublicKeyOnly>

export const Bips = (maximum: number, description: string) => Type.Integer({ minimum: 0, maximum, description })

export const Decimal = (description: string) =>
  Type.String({ pattern: '^(0|[1-9][0-9]*)(\\.[0-9]+)?$', title: 'a decimal number in quotes', description })

const RawAmount = (description: string) => Type.String({ pattern: '^[1-9][0-9]{0,77}$', title: 'a whole number in quotes', description })

export const PublicKey = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{64}$', title: 'an ed25519 public key, 64 lower-case hex characters', description })

const Streams = (maximum: number, description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum, description }))

const Rules = (description: string) => Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description, default: [] }))

export const common = {
  environment: Type.Union([Type.Literal('local'), Type.Literal('testnet'), Type.Literal('mainnet')], {
    title: '"local", "testnet" or "mainnet"',
    description: 'The set of chains and assets.',
  }),
  database_url: Text('The PostgreSQL database (14 or newer) of this party alone: `postgres://user:password@host:port/name`.'),
  release_log: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'A log of what was signed, outside of the database. By it the party notices that the database was restored from an older backup. Keep it on a persistent disk, apart from the database; processes on one machine may share it. Default: `releases-<solver_id>.log` or `releases-service.log`, beside this file.',
    }),
  ),
  listen: Type.Object(
    {
      host: Type.String({ minLength: 1, description: 'The address to listen on: `127.0.0.1` behind a reverse proxy.' }),
      port: Type.Integer({ minimum: 0, maximum: 65535, description: '0 takes any free port.' }),
    },
    { ...strict, description: 'The address of its HTTP server.' },
  ),
  metrics: Type.Optional(
    Type.Object(
      {
        host: Type.String({
          minLength: 1,
          description: 'The address to listen on. Anyone who reaches it can read all figures: never use a public address.',
        }),
        port: Type.Integer({ minimum: 0, maximum: 65535, description: '0 takes any free port.' }),
      },
      {
        ...strict,
        description:
          'Serves `/metrics` for Prometheus on a separate address, without authentication: see docs/operating.md. Default: no metrics are served.',
      },
    ),
  ),
  log_level: Type.Optional(
    Type.Union(
      logLevels.map((level) => Type.Literal(level)),
      {
        title: logLevels.map((level) => `"${level}"`).join(', '),
        description: 'The lowest level that is logged. `--log-level` and `TANDEM_LOG_LEVEL` override it. Default: `info`.',
      },
    ),
  ),
  chains: Type.Record(
    Type.String(),
    Type.Object(
      {
        endpoints: Type.Optional(
          Type.Record(Type.String(), Nodes, {
            description:
              'The nodes of this chain by kind; docs/configuration.md lists the kinds of each family. ' +
              'Default: the public nodes of the registry, if it has at least two.',
          }),
        ),
        quorum: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_URLS,
            description:
              'How many nodes, of all kinds together, must give the same answer where money depends on it. With 3, two nodes may lie. ' +
              'Default: 1, which trusts every single node; 2 for public nodes.',
          }),
        ),
        deposit_tolerance_bips: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 1000,
            description:
              'How far deposits may differ from the agreed amount, on chains where anyone can deposit any amount. The swap is then filled in proportion. Default: 300, which is 3 %.',
          }),
        ),
        first_block_hash: Type.Optional(
          Type.String({
            pattern: '^[0-9a-f]{64}$',
            title: 'a block hash, 64 lower-case hex characters',
            description:
              'The hash of block 1, as nodes print it, of a test network that the registry cannot tell apart from others (`alpen_signet`). Ask whoever runs the network, not the node. A node with another block 1 is refused.',
          }),
        ),
      },
      strict,
    ),
    { description: 'The chains to serve, by name. The other chains of the environment are listed as inactive.' },
  ),
  registry: Type.Optional(RegistryConfig),
  deployments: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object(
        {
          htlc: Type.Union([Type.String({ minLength: 1 }), Type.Null()], {
            title: 'an address or null',
            description: 'The HTLC of this asset; null on a family that needs no contract.',
          }),
          token: Type.Optional(
            Type.Union([Type.String({ minLength: 1 }), Type.Null()], {
              title: 'an address or null',
              description: 'Its token, where the registry does not know the address.',
            }),
          ),
        },
        strict,
      ),
      { description: 'Contracts by asset. They override those of `packages/families/deployments/<environment>.json`.', default: {} },
    ),
  ),
  prices: Type.Record(Type.String(), Decimal('US dollars per whole coin, at most 8 decimals.'), {
    description:
      'Fixed prices, by asset, also for the coin that pays the fees of a chain. An asset without a fixed or a live price is not quoted.',
  }),
  price_feed: Type.Optional(PriceFeedConfig),
  limits: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object(
        {
          min: Type.Optional(RawAmount('The minimum amount of an order, in the smallest unit.')),
          max: Type.Optional(RawAmount('The maximum amount of an order, in the smallest unit.')),
        },
        strict,
      ),
      { description: "By asset. They override the registry's limits.", default: {} },
    ),
  ),
  confirmations: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Array(
        Type.Object(
          {
            from: Type.String({
              pattern: '^(0|[1-9][0-9]{0,77})$',
              title: 'a whole number in quotes',
              description: 'The amount from which this applies, in the smallest unit.',
            }),
            confirmations: Type.Integer({ minimum: 1, maximum: 10_000, description: 'How many confirmations a deposit needs.' }),
          },
          strict,
        ),
        { minItems: 1, maxItems: 16 },
      ),
      { description: 'More confirmations for deposits than the registry requires, by asset. Fewer have no effect.', default: {} },
    ),
  ),
}

const policy = Type.Object(
  {
    default: Type.Union([Type.Literal('open'), Type.Literal('closed')], {
      title: '"open" or "closed"',
      description: 'Whether a pair that no rule mentions may be swapped.',
    }),
    isolation_groups: Rules('An asset in a group is swapped only within its groups.'),
    blacklist_pairs: Rules('Pairs that are refused.'),
    whitelist_overrides: Rules('Pairs that are allowed, regardless of the other rules.'),
  },
  {
    ...strict,
    description:
      'Which assets may be swapped for which. A rule is `A -> B` (one way) or `A <-> B` (both ways); A and B are `<chain>:<asset>` with `*` for any text, or `*`. ' +
      'The rules apply in this order: overrides, isolation groups, blacklisted pairs, the default. ' +
      'Clients that read GET /policy know `*` only as a whole chain or a whole asset.',
    default: { default: 'open' },
  },
)

export const ServiceConfig = Type.Object(
  {
    ...common,
    public_url: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s?#]+$',
        title: 'an http or https URL',
        description:
          'The URL of this service for integrators, used in links such as icons. Default: the host that each request was sent to.',
      }),
    ),
    vault_key: Type.Optional(
      Secret(
        '64 hex characters. Opens the secrets and keys of users in the database, which are sealed to a public key derived from it. If it is lost, the money of open orders is lost. Needed except with `--role api`, which must not have it: see `sealing`.',
      ),
    ),
    sealing: Type.Optional(
      Type.Object(
        {
          public_key: Type.String({
            pattern: '^[0-9a-f]{64}$',
            title: 'an X25519 public key, 64 lower-case hex characters',
            description: 'Secrets and keys of new orders are sealed to it. Only `vault_key` opens them.',
          }),
          seal_key: Secret(
            '64 hex characters. Authenticates the rows that say where money goes. It opens nothing, but with it and the database rows can be forged.',
          ),
        },
        {
          ...strict,
          description:
            'Takes the place of `vault_key` in the configuration of a process with `--role api`. `tandem keys sealing <file>` derives both from the vault key, on the machine of the engine.',
        },
      ),
    ),
    relay_key: Keys(
      'A secp256k1 private key, 64 hex characters; or one key for each curve that its chains need. Pays the fees of all transactions of the service: relayed initiations, redeems, refunds. `--role api` does not read it.',
    ),
    engine_health: Type.Optional(
      Type.Object(
        {
          host: Type.String({
            minLength: 1,
            description: 'The address to listen on: `127.0.0.1`, or one that only the operator can reach.',
          }),
          port: Type.Integer({ minimum: 0, maximum: 65535, description: '0 takes any free port.' }),
        },
        {
          ...strict,
          description:
            'The address on which a process with `--role engine` serves `/livez`, `/readyz` and `/metrics`, without authentication: see docs/scale.md. Default: it opens no port. `metrics` is for the other roles.',
        },
      ),
    ),
    solver_signing_key: SigningKey(
      'An ed25519 seed, 64 hex characters. Signs the requests to solvers; holds no money. `tandem keys create` makes one.',
    ),
    solvers: Type.Array(
      Type.Object(
        {
          id: Type.String({ minLength: 1, description: 'Its `solver_id`.' }),
          url: Type.String({
            pattern: '^https?://',
            title: 'an http or https URL',
            description: 'The address on which the solver listens.',
          }),
          public_key: PublicKey(
            'The public key of the solver: only answers that it signed count. The operator of the solver gets it from `tandem keys show`.',
          ),
        },
        strict,
      ),
      { description: 'The solvers to ask for quotes.' },
    ),
    quote_budget_ms: Type.Optional(
      Type.Integer({
        minimum: 50,
        maximum: 5000,
        description: 'The time in which solvers must answer a quote request, in milliseconds. Later answers are dropped.',
        default: 400,
      }),
    ),
    cosign_gather_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 600,
        description:
          'How long the service waits for more redeems of a solver to become final before it cosigns them together. One transaction for many costs less. Default: 1.',
      }),
    ),
    fees: Type.Optional(
      Type.Object(
        {
          service_bips: Type.Optional({ ...Bips(1000, "The service's own fee, in hundredths of a percent."), default: 0 }),
          max_affiliate_bips: Type.Optional({
            ...Bips(1000, 'The maximum that all affiliates of one order may take together.'),
            default: 1000,
          }),
        },
        { ...strict, description: 'Fees, included in the quoted amounts.' },
      ),
    ),
    max_quote_deviation_bips: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 10_000,
        default: 300,
        description:
          "How far the price of a solver may be from the service's own, without the fees that the quote states. Other quotes are dropped.",
      }),
    ),
    earnings: Type.Optional(
      Type.Object(
        {
          signing_key: Keys(
            'A secp256k1 private key, 64 hex characters; or one key for each curve that its chains need. Signs what affiliates may claim: ' +
              'anyone who has it can take all that the paying contracts hold. Use this key for nothing else. With `--role api` only its public key.',
          ),
          asset: Type.Optional(
            Type.String({
              minLength: 1,
              description: 'The asset in which affiliates are paid if an order names none. Default: the source asset of the order.',
            }),
          ),
          own_solvers: Type.Optional(
            Type.Array(Type.String({ minLength: 1 }), {
              description:
                'Ids of solvers that belong to the operator. What they collect for affiliates can be claimed when the orders are final; what other solvers collect, after `tandem earnings received`.',
              default: [],
            }),
          ),
        },
        {
          ...strict,
          description: 'Pays affiliates through contracts: see docs/affiliates.md. Without it their earnings are only recorded.',
        },
      ),
    ),
    destination_gas: Type.Optional(
      Type.Object(
        {
          usd: Type.Record(Type.String(), Decimal('How much of the coin a payout gives, in dollars, by chain.'), {
            description: 'Dollars for each chain on which it is offered, such as { "base": "0.20" }.',
          }),
          solvers: Type.Array(Type.String({ minLength: 1 }), {
            minItems: 1,
            description:
              'Ids of the solvers that take such orders. They collect what the relay key pays, so name your own, or those that settle it with you.',
          }),
        },
        {
          ...strict,
          description:
            "Offers users who swap into a token some of the chain's coin with the payout, so that they can move it: see docs/destination-gas.md. The relay key pays it; its price is a fee of the order. Without this it is not offered.",
        },
      ),
    ),
    instant_refunds: Type.Optional(
      Type.Object(
        {
          owner_usd_per_day: Decimal('The limit for all orders of one owner. The first refund or payout may exceed it.'),
          app_usd_per_day: Decimal('The limit for all orders of one app.'),
        },
        {
          additionalProperties: false,
          description:
            'Limits of what the relay key pays for network fees: of refunds before the timelock, where the contract returns the whole deposit, and of payouts beyond the promised fee (default 5 and 500 dollars). Beyond them a deposit is refunded after its timelock, and a payout waits at the promised fee while there is time.',
        },
      ),
    ),
    policy: Type.Optional(policy),
    app_id_headers: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z0-9-]+$', title: 'the name of a header' }), {
        minItems: 1,
        description: 'Header names that may carry the app id.',
        default: ['service-app-id'],
      }),
    ),
    rate_limit: Type.Optional(
      Type.Object(
        {
          per_minute: Type.Integer({
            minimum: 1,
            maximum: 1_000_000,
            description:
              'The limit of one app, if it has no limit of its own. A list counts as one request for each ten orders of its page. App ids are public: once the limit is used up, networks that used less than an equal share are still served, up to twice the limit in total.',
          }),
          per_address: Type.Optional(
            Type.Integer({
              minimum: 10,
              maximum: 100_000_000,
              description:
                'The limit of one address for all its requests; for IPv6, of one /64 network. Behind a reverse proxy set `trusted_proxies`, or all clients share one limit. Default: 6000.',
            }),
          ),
          per_order: Type.Optional(
            Type.Integer({
              minimum: 10,
              maximum: 100_000_000,
              description:
                'The limit of one address for one order. Reading an order by its id counts only here, not for its app. Default: 120.',
            }),
          ),
        },
        { ...strict, description: 'How many requests each process serves in a minute.', default: { per_minute: 600 } },
      ),
    ),
    event_streams: Type.Optional(
      Type.Object(
        {
          per_process: Streams(1_000_000, 'The maximum of one process. Default: 10000.'),
          per_app: Streams(1_000_000, 'The maximum of one app. Default: 5000.'),
          per_address: Streams(1_000_000, 'The maximum of one address; for IPv6, of one /64 network. Default: 100.'),
        },
        { ...strict, description: 'How many event streams may be open: see docs/events.md.', default: {} },
      ),
    ),
    webhooks: Type.Optional(
      Type.Object(
        {
          allow_private: Type.Boolean({
            description:
              "Whether webhooks may go to addresses of the operator's own network, and without TLS. Anyone who can add a webhook can then send requests into that network.",
          }),
        },
        { ...strict, description: 'Webhooks: see docs/events.md.', default: { allow_private: false } },
      ),
    ),
    trusted_proxies: Type.Optional(
      Type.Array(Type.String({ pattern: '^[0-9a-fA-F.:]+(/[0-9]{1,3})?$', title: 'an address or a network, such as 10.0.0.0/8' }), {
        description: 'Reverse proxies in front of the service. Their `X-Forwarded-For` gives the address of a client.',
        default: [],
      }),
    ),
    web: Type.Optional(
      Type.Object(
        {
          app_id: Type.Optional(
            Type.String({
              pattern: '^[0-9a-fA-F]{64}$',
              title: 'an app id: 64 hex characters',
              description: 'The app of the swap page at `/`. `tandem apps create page --origin <public_url>` makes one.',
            }),
          ),
          nodes: Type.Optional(
            Type.Record(Type.String(), Type.String({ pattern: '^https?://[^\\s;,]+$', title: 'an http or https URL' }), {
              description:
                'The node that the pages use, by chain, with a URL that browsers can reach; an Esplora URL where the chain has one. With it users keep their own secrets and keys.',
            }),
          ),
          local_file: Type.Optional(
            Type.String({
              minLength: 1,
              description:
                'The path of `local.json`, only in the environment `local`. The swap page then has a play wallet, on this machine only.',
            }),
          ),
        },
        { ...strict, description: 'The pages that the service serves: see docs/web.md.', default: {} },
      ),
    ),
    public_feed: Type.Optional(
      Type.Boolean({
        description:
          'Whether `GET /feed` shows the orders of all apps, for explorers and statistics: chains, assets, amounts, transactions and times, without ids, addresses, apps or secrets of users. Default: false.',
      }),
    ),
    allow_any_origin: Type.Optional(
      Type.Boolean({ description: 'Whether any web page may call the API. Default: false, and true in the environment `local`.' }),
    ),
  },
  strict,
)
export type ServiceConfig = Static<typeof ServiceConfig>

const pricing = Type.Object(
  {
    price_tolerance_bips: Type.Optional({
      ...Bips(
        2000,
        "How far the price may have moved against the solver when it pays. Beyond that it declines, and the deposit is refunded. The user's slippage does not add to it. After `price_expires_at` the solver gives up at most `spread_bips`.",
      ),
      default: 200,
    }),
    volatility_percent: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1000,
        description:
          'The share of one standard deviation of the exchange rate, over the time at risk, that is added to the spread. 40 is the price of an option at the money.',
        default: 40,
      }),
    ),
    network_cost_percent: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1000,
        description:
          'The share of the current network fees of both legs that is charged, if it exceeds `fixed_fee_usd`. With 0, `fixed_fee_usd` is always charged.',
        default: 100,
      }),
    ),
    inventory_skew_bips: Type.Optional({
      ...Bips(
        2000,
        'The surcharge on the last tenth of the inventory of the destination asset. When three quarters of the inventory are used, half of it applies; when one half is used, a quarter. A scarce source asset earns a rebate, at most half of the spread.',
      ),
      default: 50,
    }),
    inventory_targets: Type.Optional(
      Type.Record(Type.String(), RawAmount('The amount that the solver wants to hold, in the smallest unit.'), {
        description: 'The target, by asset. Without one, the greatest inventory since the start is the target.',
        default: {},
      }),
    ),
    fee_reserves: Type.Optional(
      Type.Record(Type.String(), RawAmount('The amount that is never quoted, in the smallest unit.'), {
        description:
          'The reserve, by asset, for coins that pay network fees. Without one, the current fees of twenty swaps are kept: an initiation, a redeem and a refund each.',
        default: {},
      }),
    ),
  },
  { ...strict, description: 'Additions to the spread, and how far the price may move.', default: {} },
)

const Cap = (of: string) =>
  Type.Optional(
    Type.Object(
      {
        open_orders: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'The maximum number of open orders.' })),
        open_usd: Type.Optional(Decimal('The maximum worth of open orders, in US dollars.')),
        window_usd: Type.Optional(Decimal('The maximum worth of orders within `window_seconds`, in US dollars.')),
      },
      { ...strict, description: `Limits of ${of}. A missing limit does not apply.` },
    ),
  )

const Count = (maximum: number, description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum, description }))

const risk = Type.Object(
  {
    window_seconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 2_592_000,
        description: 'How long orders count for caps and premiums. Default: 86400, one day.',
      }),
    ),
    caps: Type.Optional(
      Type.Object(
        {
          pair: Cap('one pair, in one direction. Only orders with a deposit count'),
          app: Cap('one app. Orders that may still get a deposit count too'),
          owner: Cap(
            'one owner of a source, within an app. Orders that may still get a deposit count too. Anyone can make orders in the name of an owner, so set it only for services whose apps know their owners',
          ),
        },
        { ...strict, description: 'Limits of what the solver takes on. The worth of its payments counts, at the prices of the order.' },
      ),
    ),
    premium: Type.Optional(
      Type.Object(
        {
          free_gain_bips: Count(
            1000,
            'The free average gain of an owner or an app that abandons as many orders as it funds: how far prices moved in its favour before it funded, in hundredths of a percent. The excess is added to the price; for an app at most 50. Default: 10.',
          ),
          refuse_gain_bips: Count(
            5000,
            'An owner is refused if at least ten funded orders gained this much on average, and it abandoned four times what it funded. Default: 50.',
          ),
          free_abandoned: Count(
            100_000,
            'How many orders an owner may abandon (leave without a deposit) at no cost; two more for each completed order. Default: 10.',
          ),
          abandoned_bips: Count(
            1000,
            'The premium for each further abandoned order, in hundredths of a percent. Default: 0. Anyone can make orders in the name of any owner, so set it only for services whose apps know their owners.',
          ),
          refuse_abandoned: Count(
            100_000,
            'An owner with this many further abandoned orders is refused. Default: never. Set it only for services whose apps know their owners.',
          ),
          withheld_bips: Count(
            5000,
            'The premium on orders with a client-held secret for secrets that the client withheld until the solver refunded its payments, in hundredths of a percent, for payments of one unit; doubled with each further unit. Withheld secrets count less with time. Default: 50.',
          ),
          withheld_unit_usd: Type.Optional(
            Decimal(
              'The unit for an owner, in US dollars; what it completed is added. If a client withheld the secret of a payment above one unit, its deposit is not refunded before the timelock. Default: 1000.',
            ),
          ),
          refuse_withheld: Count(
            1000,
            'From this many units on, the owner gets no orders with a client-held secret. Other owners of its app do not count. Default: 3.',
          ),
          max_bips: Count(5000, 'The maximum of the whole premium. Default: 500.'),
        },
        { ...strict, description: 'The premium that past orders of an owner or an app add to the price of new ones.' },
      ),
    ),
    fee_spike_factor: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 1_000_000,
        description:
          'A chain is halted while a payment costs this many times its usual cost of the last hour, or of ten US cents if that is more. Default: 10.',
      }),
    ),
    unrevealed_usd: Type.Optional(
      Decimal(
        'The scale for payments that wait for client-held secrets, of all owners, in US dollars. The more are open, the more the next one costs: from 0.4 standard deviations of the rate, over the time in which the client may choose, to 1.5 at this amount. Default: 50000.',
      ),
    ),
    unfinal_usd: Type.Optional(
      Type.Record(Type.String(), Decimal('In US dollars.'), {
        description:
          'The maximum that the solver pays against deposits that are not final, all orders together, by source chain. Larger amounts are not quoted; funded orders beyond it wait until earlier ones are final. Default: by chain, see `unfinalUsd` in `packages/protocol/registry`.',
      }),
    ),
    fee_peak_factor: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description:
          'For every redeem and refund in flight, the account must hold this many times the highest network fee of the last day. With less the solver makes no payment whose redeem it could not send, and takes no new orders from that chain. Default: 4.',
      }),
    ),
  },
  { ...strict, description: 'Limits of what the solver takes on, and its premiums for risk.' },
)

const withdrawals = Type.Object(
  {
    addresses: Type.Record(
      Type.String(),
      Type.Array(Type.String({ minLength: 1, description: 'An address of the operator on this chain.' }), { minItems: 1, maxItems: 16 }),
      {
        description:
          'Where inventory may be sent, by chain. `tandem solver sweep` and `evacuate` send to the first address of a chain. The solver sends to no other address, whatever its database says.',
      },
    ),
    delay_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        description:
          'A withdrawal waits at least this long, counted from when the running solver first saw it; a restart begins again. So you notice one that you did not ask for, and cancel it. Default: 0.',
      }),
    ),
    max_usd_per_day: Type.Optional(
      Decimal(
        'The maximum worth of withdrawals within 24 hours, in US dollars, at the prices when they are signed. With it, an asset without a price is not sent. Default: no maximum.',
      ),
    ),
  },
  {
    ...strict,
    description:
      'Lets `tandem solver send`, `sweep` and `evacuate` send inventory while the solver runs: see docs/withdrawals.md. Default: nothing is sent.',
  },
)

const clientTls = Type.Object(
  {
    key: Secret('The private key of the certificate of this process, in PEM.'),
    cert: Type.String({ minLength: 1, description: 'The file with its certificate, in PEM.' }),
    ca: Type.String({
      minLength: 1,
      description: "The file with the certificate of the authority that signed the signer's certificate, in PEM.",
    }),
  },
  { ...strict, description: 'Both sides show a certificate. It is needed with `url`.' },
)

const signer = Type.Object(
  {
    socket: Type.Optional(Type.String({ minLength: 1, description: 'The Unix socket of a signer on this machine. Either this or `url`.' })),
    url: Type.Optional(
      Type.String({ pattern: '^https://', title: 'an https URL', description: 'The address of a signer on another machine.' }),
    ),
    tls: Type.Optional(clientTls),
    public_key: PublicKey('The public key of the signer: only answers that it signed count. `tandem keys show` on its machine prints it.'),
  },
  {
    ...strict,
    description:
      'A process of its own has the keys, and can refuse: see docs/signer.md. `private_key` then has public keys only. Default: this process has the keys.',
  },
)

export const SolverConfig = Type.Object(
  {
    ...common,
    solver_id: Type.String({ minLength: 1, description: 'The name by which services know the solver.' }),
    private_key: ChainKeys(
      'A secp256k1 private key, 64 hex characters; or one key for each curve that its chains need, and keys of single chains. Holds the inventory.',
    ),
    signing_key: SigningKey(
      'An ed25519 seed, 64 hex characters. Signs the answers to services; holds no money. `tandem keys create` makes one.',
    ),
    services: Type.Array(
      Type.Object(
        {
          id: Type.String({
            minLength: 1,
            maxLength: 64,
            description:
              'A name for the service, for limits and the log. Its orders belong to this name, so do not change it. A service with two keys may be listed twice.',
          }),
          public_key: PublicKey('The public key of the service, whose operator gets it from `tandem keys show`.'),
        },
        strict,
      ),
      { description: 'The services that may call this solver.' },
    ),
    spread_bips: Bips(5000, "The solver's margin, in hundredths of a percent."),
    fixed_fee_usd: Decimal(
      'The minimum charge for network fees, added to every swap. If the transactions of both legs cost more at current fees, that is charged. At most 6 decimals.',
    ),
    pricing: Type.Optional(pricing),
    quote_seconds: Type.Integer({ minimum: 5, maximum: 3600, description: 'How long a quote is honoured.' }),
    price_hold_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'How long the quoted price holds for a deposit, counted from the order. Default: 1800.',
      }),
    ),
    redeem_wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 43_200,
        description:
          'How long a redeem may wait for a batch and for the signature of the service, where that makes it cheaper. It never waits until its timelock is at risk. Default: 3600.',
      }),
    ),
    risk: Type.Optional(risk),
    withdrawals: Type.Optional(withdrawals),
    signer: Type.Optional(signer),
  },
  strict,
)
export type SolverConfig = Static<typeof SolverConfig>

/** Those of a service have no keys of single chains. */
export type KeyReferences = SolverConfig['private_key']

export type PartyConfig = Pick<ServiceConfig & SolverConfig, keyof typeof common>

/** What every process that reads chains has: parties and signers. */
export type ChainsConfig = Pick<
  PartyConfig,
  'environment' | 'chains' | 'registry' | 'deployments' | 'prices' | 'price_feed' | 'confirmations' | 'log_level'
>
