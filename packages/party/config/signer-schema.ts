/** The schema of the configuration file of a signer. Its descriptions are the reference in docs/configuration.md. */
import { type Static, Type } from 'typebox'
import { Bips, ChainKeys, common, Decimal, PublicKey, Secret, SigningKey, strict } from './schema.ts'

const { environment, log_level, chains, registry, deployments, prices, price_feed, confirmations } = common

const tls = Type.Object(
  {
    key: Secret('The private key of its certificate, in PEM.'),
    cert: Type.String({ minLength: 1, description: 'The file with its certificate, in PEM.' }),
    ca: Type.String({
      minLength: 1,
      description: 'The file with the certificate of the authority, in PEM. Only callers with a certificate that it signed are heard.',
    }),
  },
  strict,
)

const listen = Type.Union(
  [
    Type.Object({ socket: Type.String({ minLength: 1 }) }, strict),
    Type.Object({ host: Type.String({ minLength: 1 }), port: Type.Integer({ minimum: 0, maximum: 65535 }), tls }, strict),
  ],
  {
    title: '{"socket": "<path>"}, or {"host": …, "port": …, "tls": {"key": …, "cert": …, "ca": …}}',
    description: 'A Unix socket, which only its own user can open; or an address with TLS, where both sides show a certificate.',
  },
)

const limits = Type.Object(
  {
    order: Decimal('The maximum worth of one lock.'),
    hour: Decimal('The maximum worth of all locks within an hour.'),
    open: Decimal(
      'The maximum worth of all locks that are open. A lock is open until the nodes of the signer show that its source is collected, that it came back, or that it can never be mined.',
    ),
    fees_per_hour: Type.Optional(
      Decimal(
        'The maximum that the network fees of all transactions within an hour may cost, for each chain. Each counts with its highest fee. Redeems and refunds have as much again, and those of a granted lock may always cost what it is worth. Default: a twentieth of `hour`.',
      ),
    ),
    chain_hour: Type.Optional(
      Type.Record(Type.String(), Decimal('In US dollars.'), { description: 'The maximum worth of locks within an hour, by chain.' }),
    ),
    unfinal: Type.Optional(
      Type.Record(Type.String(), Decimal('In US dollars.'), {
        description: 'The maximum that is paid against deposits that are not final, by chain of the deposit.',
      }),
    ),
  },
  {
    ...strict,
    description: 'What a thief of the solver could take at most, in US dollars at the prices of the signer. Beyond it no lock is signed.',
  },
)

const withdrawals = Type.Object(
  {
    addresses: Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 16 }), {
      description: 'Where inventory may be sent, by chain.',
    }),
    delay_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        description: 'A withdrawal is signed this long after the signer saw it first. Its journal keeps the time. Default: 0.',
      }),
    ),
    max_usd_per_day: Type.Optional(Decimal('The maximum worth of withdrawals within 24 hours, in US dollars. Default: no maximum.')),
    approved_above_usd: Type.Optional(
      Decimal('A withdrawal worth more, in US dollars, needs the signature of an approver: `tandem signer approve`. Default: none does.'),
    ),
    approvers: Type.Optional(
      Type.Array(PublicKey('The ed25519 key of a second operator.'), { maxItems: 16, description: 'Who may approve large withdrawals.' }),
    ),
    approvals: Type.Optional(
      Type.String({ minLength: 1, description: 'The folder in which approvals are put. Default: `approvals`, beside this file.' }),
    ),
  },
  { ...strict, description: 'What may be sent out of the inventory. Default: nothing.' },
)

export const SignerConfig = Type.Object(
  {
    environment,
    chains,
    registry,
    deployments,
    prices,
    price_feed,
    confirmations,
    log_level,
    private_key: ChainKeys('The keys that hold the inventory: one for each curve, and keys of single chains.'),
    signing_key: SigningKey(
      'An ed25519 seed, 64 hex characters. Signs the answers of the signer; holds no money. `tandem keys create` makes one.',
    ),
    listen,
    clients: Type.Array(
      Type.Object(
        {
          id: Type.String({ minLength: 1, maxLength: 64, description: 'A name for the journal.' }),
          public_key: PublicKey('The public key of its `signing_key`.'),
        },
        strict,
      ),
      { minItems: 1, description: 'The solvers that may ask.' },
    ),
    journal: Type.String({
      minLength: 1,
      description:
        'The file with everything that was granted and refused. Keep it on a disk of the signer, and never restore an older copy.',
    }),
    price_tolerance_bips: Type.Optional({
      ...Bips(
        2000,
        'A lock may be worth this much more than what it is paid with, in hundredths of a percent, at the prices of the signer.',
      ),
      default: 300,
    }),
    limits_usd: limits,
    withdrawals: Type.Optional(withdrawals),
  },
  strict,
)
export type SignerConfig = Static<typeof SignerConfig>
