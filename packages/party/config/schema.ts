/** The two parties' configuration files: one schema each. The descriptions are the reference in docs/configuration.md. */

import { logLevels } from '@tandem/runtime/log.ts'
import { type Static, Type } from 'typebox'
import { PriceFeedConfig } from './price-feed-schema.ts'

const strict = { additionalProperties: false } as const

const File = Type.Object({ file: Type.String({ minLength: 1 }) }, strict)
const Env = Type.Object({ env: Type.String({ minLength: 1 }) }, strict)

/** `title` says in words what is expected, for messages and for the reference. */
const Secret = (description: string) =>
  Type.Union([File, Env], { title: '{"file": "<path>"} or {"env": "<variable>"}, never the secret itself', description })

const Text = (description: string) =>
  Type.Union([Type.String({ minLength: 1 }), File, Env], {
    title: 'a text, {"file": "<path>"} or {"env": "<variable>"}',
    description,
  })

/** One key for each curve that the served chains need. No key is derived from another. */
const Keys = (description: string) => {
  const key = (curve: string) => Type.Optional(Type.Union([File, Env], { title: `a reference to the ${curve} key, never the key itself` }))
  const byCurve = Type.Object({ secp256k1: key('secp256k1'), ed25519: key('ed25519'), stark: key('stark') }, strict)
  return Type.Union([File, Env, byCurve], {
    title: '{"file": "<path>"} or {"env": "<variable>"}, or one of these for each curve: {"secp256k1": …, "ed25519": …, "stark": …}',
    description,
  })
}

const MAX_URLS = 16

const Url = Type.Union([Type.String({ minLength: 1 }), File, Env])

const NodeWithHeaders = Type.Object(
  {
    url: Url,
    headers: Type.Optional(Type.Record(Type.String(), Type.Union([File, Env]))),
    requests_per_second: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  },
  strict,
)

const OneNode = Type.Union([...Url.anyOf, NodeWithHeaders])

const Nodes = Type.Union([...OneNode.anyOf, Type.Array(OneNode, { minItems: 1, maxItems: MAX_URLS })], {
  title:
    'a URL as a text, {"file": "<path>"} or {"env": "<variable>"}; or {"url": <such a URL>, "headers": {"<name>": {"file": …} or {"env": …}}, "requests_per_second": <number>}; or a list of such',
  description:
    'One node, or several: if one fails, another takes over. `headers` are sent with every request to that node, such as an API key; their values are never in this file. ' +
    '`requests_per_second` limits what we ask over HTTP. Default: no limit, but 10 for an Esplora server on another machine.',
})

/** A node as it is written in a configuration. */
export type EndpointConfig = Static<typeof OneNode>

/** Where a secret is, never the secret itself. File paths are relative to the configuration file. */
export type SecretReference = Static<typeof File> | Static<typeof Env>

const Bips = (maximum: number, description: string) => Type.Integer({ minimum: 0, maximum, description })

const Decimal = (description: string) =>
  Type.String({ pattern: '^(0|[1-9][0-9]*)(\\.[0-9]+)?$', title: 'a decimal number in quotes', description })

const RawAmount = (description: string) => Type.String({ pattern: '^[1-9][0-9]{0,77}$', title: 'a whole number in quotes', description })

const PublicKey = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{64}$', title: 'an ed25519 public key, 64 lower-case hex characters', description })

const Streams = (maximum: number, description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum, description }))

const Rules = (description: string) => Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description, default: [] }))

const common = {
  environment: Type.Union([Type.Literal('local'), Type.Literal('testnet'), Type.Literal('mainnet')], {
    title: '"local", "testnet" or "mainnet"',
    description: 'Which chains and assets there are.',
  }),
  database_url: Text('The PostgreSQL database (14 or newer) of this party alone: `postgres://user:password@host:port/name`.'),
  release_log: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'A file that names what was signed, outside of the database: it tells when the database is restored from an older backup. Keep it on a disk that lasts, apart from the database; processes on one machine may share it. Default: `releases-<solver_id>.log` or `releases-service.log`, beside this file.',
    }),
  ),
  listen: Type.Object(
    {
      host: Type.String({ minLength: 1, description: 'The address to listen on: `127.0.0.1` behind a reverse proxy.' }),
      port: Type.Integer({ minimum: 0, maximum: 65535, description: '0 takes any free one.' }),
    },
    { ...strict, description: 'Where its HTTP server listens.' },
  ),
  metrics: Type.Optional(
    Type.Object(
      {
        host: Type.String({ minLength: 1, description: 'The address to listen on. Who can reach it can read all figures: no public one.' }),
        port: Type.Integer({ minimum: 0, maximum: 65535, description: '0 takes any free one.' }),
      },
      {
        ...strict,
        description:
          'Serves `/metrics` for Prometheus on an address of its own, without authentication: see docs/operating.md. Default: it does not.',
      },
    ),
  ),
  log_level: Type.Optional(
    Type.Union(
      logLevels.map((level) => Type.Literal(level)),
      {
        title: logLevels.map((level) => `"${level}"`).join(', '),
        description: 'The least level that is logged. `--log-level` and `TANDEM_LOG_LEVEL` override it. Default: `info`.',
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
              'How many nodes, all kinds counted together, must give the same answer where money depends on it. With 3, two nodes may lie. ' +
              'Default: 1, which trusts each node alone; 2 for public nodes.',
          }),
        ),
        deposit_tolerance_bips: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 1000,
            description:
              'On chains where anyone can deposit any amount: how far the deposits may be from the agreed amount. The swap is then filled in proportion. Default: 300, which is 3 %.',
          }),
        ),
      },
      strict,
    ),
    { description: "The chains to serve, by name. The environment's other chains are listed as inactive." },
  ),
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
      'Fixed prices, by asset; also of the coin that pays for fees on a chain. An asset without a price, fixed or live, is not quoted.',
  }),
  price_feed: Type.Optional(PriceFeedConfig),
  limits: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object(
        {
          min: Type.Optional(RawAmount('The least amount of an order, in the smallest unit.')),
          max: Type.Optional(RawAmount('The greatest amount of an order, in the smallest unit.')),
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
              description: 'From this amount on, in the smallest unit.',
            }),
            confirmations: Type.Integer({ minimum: 1, maximum: 10_000, description: 'How many blocks a deposit waits for.' }),
          },
          strict,
        ),
        { minItems: 1, maxItems: 16 },
      ),
      { description: 'By asset: more confirmations for deposits than the registry asks for. Fewer have no effect.', default: {} },
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
    whitelist_overrides: Rules('Pairs that are allowed whatever the other rules say.'),
  },
  {
    ...strict,
    description:
      'Which assets may be swapped for which. A rule is `A -> B` (one way) or `A <-> B` (both ways); A and B are `<chain>:<asset>` with `*` for any text, or `*`. ' +
      'Decided in this order: an override allows, an isolation group refuses, a blacklisted pair is refused, then the default. ' +
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
    vault_key: Secret("64 hex characters. Encrypts users' secrets and keys at rest. If it is lost, the money of open orders is lost."),
    relay_key: Keys(
      'A secp256k1 private key, 64 hex characters; or one key for each curve that its chains need. Pays the fees of all transactions of the service: relayed initiations, redeems, refunds. Not read with `--role api`.',
    ),
    engine_health: Type.Optional(
      Type.Object(
        {
          host: Type.String({ minLength: 1, description: 'The address to listen on: `127.0.0.1`, or one that only the operator reaches.' }),
          port: Type.Integer({ minimum: 0, maximum: 65535, description: '0 takes any free one.' }),
        },
        {
          ...strict,
          description:
            'Where a process with `--role engine` answers `/livez`, `/readyz` and `/metrics`, without authentication: see docs/scale.md. Default: it opens no port. `metrics` is for the other roles.',
        },
      ),
    ),
    solver_signing_key: Secret(
      'An ed25519 seed, 64 hex characters. Signs the requests to solvers; holds no money. `tandem keys create` makes one.',
    ),
    solvers: Type.Array(
      Type.Object(
        {
          id: Type.String({ minLength: 1, description: 'Its `solver_id`.' }),
          url: Type.String({ pattern: '^https?://', title: 'an http or https URL', description: 'Where it listens.' }),
          public_key: PublicKey(
            'Its public key: only answers that it signed count. The operator of the solver gets it from `tandem keys show`.',
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
        description: 'How long solvers have to answer a quote, in milliseconds. Later answers are dropped.',
        default: 400,
      }),
    ),
    fees: Type.Optional(
      Type.Object(
        {
          service_bips: Type.Optional({ ...Bips(1000, "The service's own fee, in hundredths of a percent."), default: 0 }),
          max_affiliate_bips: Type.Optional({ ...Bips(1000, 'The most that affiliates of one order may take together.'), default: 1000 }),
        },
        { ...strict, description: 'Fees, included in the quoted amounts.' },
      ),
    ),
    max_quote_deviation_bips: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 10_000,
        default: 300,
        description: "How far a solver's price may be from the service's own, the fees that it states apart. A quote beyond it is dropped.",
      }),
    ),
    earnings: Type.Optional(
      Type.Object(
        {
          signing_key: Keys(
            'A secp256k1 private key, 64 hex characters; or one key for each curve that its chains need. Signs what affiliates may claim: ' +
              'who has it can take all that the paying contracts hold. A key of its own, used for nothing else.',
          ),
          asset: Type.Optional(
            Type.String({
              minLength: 1,
              description: "What affiliates are paid in if an order does not say. Default: the order's source asset.",
            }),
          ),
          own_solvers: Type.Optional(
            Type.Array(Type.String({ minLength: 1 }), {
              description:
                'Ids of solvers that belong to the operator: what they collect for affiliates can be claimed as soon as the orders are final. What others collect waits for `tandem earnings received`.',
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
    instant_refunds: Type.Optional(
      Type.Object(
        {
          owner_usd_per_day: Decimal('For all orders of one owner. The first refund or payout may exceed it.'),
          app_usd_per_day: Decimal('For all orders of one app.'),
        },
        {
          additionalProperties: false,
          description:
            'How much the relay key pays for network fees of refunds before the timelock, where the contract pays the whole deposit back, and of payouts beyond the fee that was promised (default 5 and 500 dollars). Beyond it, a deposit is refunded after its timelock, and a payout waits at the promised fee while there is time.',
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
              'Of one app, if it has no limit of its own. A list counts as one for each ten orders of its page. App ids are public: once it is used up, networks that used less than an equal part are still served, up to twice the limit in all.',
          }),
          per_address: Type.Optional(
            Type.Integer({
              minimum: 10,
              maximum: 100_000_000,
              description:
                'Of one address, whatever it asks; of IPv6, one /64. Behind a reverse proxy set `trusted_proxies`, or all clients share it. Default: 6000.',
            }),
          ),
          per_order: Type.Optional(
            Type.Integer({
              minimum: 10,
              maximum: 100_000_000,
              description: 'Of one address for one order. Reading an order by its id counts only here, not for its app. Default: 120.',
            }),
          ),
        },
        { ...strict, description: 'How many requests are served in a minute, by each process.', default: { per_minute: 600 } },
      ),
    ),
    event_streams: Type.Optional(
      Type.Object(
        {
          per_process: Streams(1_000_000, 'How many one process serves. Default: 10000.'),
          per_app: Streams(1_000_000, 'How many one app may have open. Default: 5000.'),
          per_address: Streams(1_000_000, 'How many one address may have open; of IPv6, one /64. Default: 100.'),
        },
        { ...strict, description: 'Limits of open event streams: see docs/events.md.', default: {} },
      ),
    ),
    webhooks: Type.Optional(
      Type.Object(
        {
          allow_private: Type.Boolean({
            description:
              "Whether webhooks may go to addresses of the operator's own network, and without TLS. Whoever adds a webhook can then call what is there.",
          }),
        },
        { ...strict, description: 'Webhooks: see docs/events.md.', default: { allow_private: false } },
      ),
    ),
    trusted_proxies: Type.Optional(
      Type.Array(Type.String({ pattern: '^[0-9a-fA-F.:]+(/[0-9]{1,3})?$', title: 'an address or a network, such as 10.0.0.0/8' }), {
        description: 'Reverse proxies in front of the service: their `X-Forwarded-For` says which address a client has.',
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
                'By chain: the node that the pages ask, as a browser reaches it; an Esplora URL where the chain has those. With it users keep their own secrets and keys.',
            }),
          ),
          local_file: Type.Optional(
            Type.String({
              minLength: 1,
              description:
                'Only in the environment `local`: the path of `local.json`. The swap page then has a play wallet, on this machine only.',
            }),
          ),
        },
        { ...strict, description: 'The pages that the service serves: see docs/web.md.', default: {} },
      ),
    ),
    allow_any_origin: Type.Optional(
      Type.Boolean({ description: 'Whether any web page may call the API. Default: false, and true in the environment `local`.' }),
    ),
  },
  strict,
)
export type ServiceConfig = Static<typeof ServiceConfig>
export type KeyReferences = ServiceConfig['relay_key']

const pricing = Type.Object(
  {
    price_tolerance_bips: Type.Optional({
      ...Bips(
        2000,
        "How far the price may have moved against the solver when it locks its side. Beyond that it declines, and the deposit is refunded. The user's slippage does not widen it. After `price_expires_at` the solver gives up no more than `spread_bips`.",
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
          'The share of the current network fees of both legs that is charged, if that is more than `fixed_fee_usd`. 0: never more than that.',
        default: 100,
      }),
    ),
    inventory_skew_bips: Type.Optional({
      ...Bips(
        2000,
        'The surcharge on the last tenth of the inventory of the destination asset: half of it from three quarters on, a quarter from one half on. A source of which little is left earns a rebate, at most half of the spread.',
      ),
      default: 50,
    }),
    inventory_targets: Type.Optional(
      Type.Record(Type.String(), RawAmount('What the solver wants to hold, in the smallest unit.'), {
        description: 'By asset. Without one, the greatest inventory since the start counts as the target.',
        default: {},
      }),
    ),
    fee_reserves: Type.Optional(
      Type.Record(Type.String(), RawAmount('What is never quoted, in the smallest unit.'), {
        description:
          'By asset, for coins that pay network fees. Without one, what twenty swaps cost at current fees is kept: an initiation, a redeem and a refund each.',
        default: {},
      }),
    ),
  },
  { ...strict, description: 'What is added to the spread, and how far the price may move.', default: {} },
)

const Cap = (of: string) =>
  Type.Optional(
    Type.Object(
      {
        open_orders: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'How many orders may be open.' })),
        open_usd: Type.Optional(Decimal('How much may be open, in US dollars.')),
        window_usd: Type.Optional(Decimal('How much may be taken in `window_seconds`, in US dollars.')),
      },
      { ...strict, description: `Limits of ${of}. A limit that is absent does not limit.` },
    ),
  )

const Count = (maximum: number, description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum, description }))

const risk = Type.Object(
  {
    window_seconds: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 2_592_000, description: 'How long orders count for caps and premiums. Default: 86400, a day.' }),
    ),
    caps: Type.Optional(
      Type.Object(
        {
          pair: Cap('one pair, in one direction. Only orders with a deposit count'),
          app: Cap('one app. Orders that may still get a deposit count too'),
          owner: Cap(
            'one owner of a source, within an app. Orders that may still get a deposit count too, and anyone can make them in its name: only for services whose apps know their owners',
          ),
        },
        { ...strict, description: 'The most that the solver takes on. What it pays counts, at the prices of the order.' },
      ),
    ),
    premium: Type.Optional(
      Type.Object(
        {
          free_gain_bips: Count(
            1000,
            'For an owner or an app that leaves as many orders as it funds: how far prices may have moved in its favour before it funded, on average, in hundredths of a percent. What is above is added to the price; for an app at most 50. Default: 10.',
          ),
          refuse_gain_bips: Count(
            5000,
            'With ten funded orders that gained so much on average, and four times as much left without a deposit, an owner is refused. Default: 50.',
          ),
          free_abandoned: Count(
            100_000,
            'Orders that an owner may leave without a deposit for nothing; two more for each that completed. Default: 10.',
          ),
          abandoned_bips: Count(
            1000,
            'What each further one adds to the price, in hundredths of a percent. Default: 0. Anyone can make orders in the name of any owner: only for services whose apps know their owners.',
          ),
          refuse_abandoned: Count(
            100_000,
            'So many further ones, and the owner is refused. Default: never. Only for services whose apps know their owners.',
          ),
          withheld_bips: Count(
            5000,
            'What secrets that a client kept until the solver took its payments back add to the price of orders with a client-held secret, in hundredths of a percent, for payments of one unit; doubled with each further unit. They count less with time. Default: 50.',
          ),
          withheld_unit_usd: Type.Optional(
            Decimal(
              'The unit, in US dollars, for an owner; what it completed is added to it. A payment of more than one unit that the client kept from being completed is not refunded before its timelock. Default: 1000.',
            ),
          ),
          refuse_withheld: Count(
            1000,
            'From so many units on, the owner gets no order with a client-held secret. What other owners of its app kept does not count. Default: 3.',
          ),
          most_bips: Count(5000, 'The most that all of these add. Default: 500.'),
        },
        { ...strict, description: 'What past orders of an owner or an app add to the price of new ones.' },
      ),
    ),
    fee_spike_factor: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 1_000_000,
        description:
          'A chain is halted while a lock costs so many times its usual cost of the last hour, or of ten US cents if that is more. Default: 10.',
      }),
    ),
    unrevealed_usd: Type.Optional(
      Decimal(
        'In US dollars: payments locked for client-held secrets that are not shown yet, of all owners. The more of it is open, the dearer is the next one: from 0.4 standard deviations of the rate, over the time in which the client may choose, to 1.5 at this amount. Default: 50000.',
      ),
    ),
    unfinal_usd: Type.Optional(
      Type.Record(Type.String(), Decimal('In US dollars.'), {
        description:
          'By chain: the most that may be paid, all orders together, against deposits of that chain that are not final. Larger amounts are not quoted; orders that are funded beyond it wait until earlier ones are final. Default: by chain, see `unfinalUsd` in `packages/protocol/registry`.',
      }),
    ),
    fee_peak_factor: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description:
          'For every redeem and refund in flight, the account must hold so many times the highest network fee of the last day. With less the solver locks nothing whose redeem it could not pay, and takes nothing new from that chain. Default: 4.',
      }),
    ),
  },
  { ...strict, description: 'Limits of what the solver takes on, and what makes it more careful.' },
)

export const SolverConfig = Type.Object(
  {
    ...common,
    solver_id: Type.String({ minLength: 1, description: 'The name services know it by.' }),
    private_key: Keys(
      'A secp256k1 private key, 64 hex characters; or one key for each curve that its chains need. Holds the inventory on every chain.',
    ),
    signing_key: Secret(
      'An ed25519 seed, 64 hex characters. Signs the answers to services; holds no money. `tandem keys create` makes one.',
    ),
    services: Type.Array(
      Type.Object(
        {
          id: Type.String({
            minLength: 1,
            maxLength: 64,
            description:
              'A name for it, for limits and the log. Its orders belong to this name: do not change it. With two keys it may be listed twice.',
          }),
          public_key: PublicKey('Its public key. The operator of the service gets it from `tandem keys show`.'),
        },
        strict,
      ),
      { description: 'The services that may call this solver.' },
    ),
    spread_bips: Bips(5000, "The solver's margin, in hundredths of a percent."),
    fixed_fee_usd: Decimal(
      'The least charge for network fees, added to every swap. If the transactions of both legs cost more at current fees, that is charged. At most 6 decimals.',
    ),
    pricing: Type.Optional(pricing),
    quote_seconds: Type.Integer({ minimum: 5, maximum: 3600, description: 'How long a quote is honoured.' }),
    price_hold_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'How long after the order a deposit is still filled at the quoted price. Default: 1800.',
      }),
    ),
    redeem_wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 43_200,
        description:
          'How long a redeem may wait to be batched with others and cosigned by the service, where that makes it cheaper. It never waits so long that its timelock is at risk. Default: 3600.',
      }),
    ),
    risk: Type.Optional(risk),
  },
  strict,
)
export type SolverConfig = Static<typeof SolverConfig>

/** The settings that both files have. */
export type PartyConfig = Pick<ServiceConfig & SolverConfig, keyof typeof common>
