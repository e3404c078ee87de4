/** The settings by which an operator adds chains and assets. The registry checks their values; the SDK takes the same form. */
import { Type } from 'typebox'

const strict = { additionalProperties: false } as const

const Milliseconds = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600_000, description }))

const Whole = { pattern: '^(0|[1-9][0-9]{0,77})$', title: 'a whole number in quotes' } as const

const ShortText = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })

const Icon = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: 4,
      description: '1 to 4 letters or digits. Some have a drawing; the others get a plain coin.',
    }),
    color: Type.String({ minLength: 7, maxLength: 7, description: 'The colour of its ground: `#` and 6 lower-case hex digits.' }),
  },
  strict,
)

const AddedChain = Type.Object(
  {
    family: ShortText('The family of the chain, as in the table above.'),
    kind: ShortText(
      'What the chain has in common with others of its family: its clock, margins, timelocks and finality; see the table above.',
    ),
    reference: ShortText("The chain's own identity, in the form of its family: see the table above. A node with another one is refused."),
    name: ShortText('The name for people.'),
    coin: ShortText('The symbol of the coin that pays fees.'),
    icon: Icon,
    explorer_url: Type.Optional(ShortText('An https URL. Default: pages link to no explorer.')),
    explorer_tx_url: Type.Optional(
      ShortText('Its page of a transaction, with `{tx}` in the place of the hash. Default: `/tx/{tx}` of the explorer.'),
    ),
    block_ms: Milliseconds('The average time between blocks, in milliseconds. Default: that of the kind, if it has one.'),
    fastest_block_ms: Milliseconds('The shortest time between blocks.'),
    slowest_block_ms: Milliseconds('The longest time between blocks, short of a halt.'),
    confirmations: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 256,
        description: 'The confirmations that a deposit needs. Default: those of the kind, if it has any.',
      }),
    ),
    final_blocks: Type.Optional(Type.Integer({ minimum: 1, maximum: 256, description: 'No reorg is expected below this many blocks.' })),
    finality_tag: Type.Optional(
      Type.Union([Type.Literal('safe'), Type.Literal('finalized'), Type.Literal('none')], {
        title: '"safe", "finalized" or "none"',
        description: 'The tag by which nodes say that a block is final. A tag that never moves keeps every order open.',
      }),
    ),
    unfinal_usd: Type.Optional(
      Type.String({ ...Whole, description: 'The default of `risk.unfinal_usd` for this chain, in whole US dollars.' }),
    ),
    timelocks: Type.Optional(
      Type.Object(
        {
          source: Type.String({ ...Whole, description: "In the unit of the chain's clock." }),
          destination: Type.String({ ...Whole, description: "In the unit of the chain's clock." }),
        },
        { ...strict, description: 'Every pair with a served chain must be safe with them. Default: those of the kind.' },
      ),
    ),
    details: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String({ maxLength: 200 }), Type.Boolean()]), {
        description: 'What only the family knows; see the table above.',
      }),
    ),
  },
  strict,
)

const AddedAsset = Type.Object(
  {
    token: Type.Union([ShortText('An address.'), Type.Null()], {
      title: 'an address or null',
      description: "The token's address, in the form of its family; null for the chain's own coin.",
    }),
    name: ShortText('The name for people.'),
    symbol: ShortText('The symbol for people. The name of the asset is `<chain>:<symbol in lower case>`.'),
    decimals: Type.Integer({
      minimum: 0,
      maximum: 36,
      description: 'Each party compares it with the chain when it starts, and refuses another number.',
    }),
    min: Type.String({ ...Whole, description: 'The smallest swap, in the smallest unit.' }),
    max: Type.String({ ...Whole, description: 'The largest swap, in the smallest unit.' }),
    icon: Type.Optional(Icon),
    market: Type.Optional(
      Type.String({
        pattern: '^[A-Z0-9.]{1,16}$',
        title: 'the name of a market in capital letters',
        description: 'The market whose price it has, with `price_feed`. Default: its symbol. `prices` fixes a price instead.',
      }),
    ),
  },
  strict,
)

export const RegistryConfig = Type.Object(
  {
    chains: Type.Optional(
      Type.Record(Type.String(), AddedChain, { description: 'Chains by name, which `chains` can then serve.', default: {} }),
    ),
    assets: Type.Optional(Type.Record(Type.String(), AddedAsset, { description: 'Assets by name, on any chain.', default: {} })),
  },
  {
    ...strict,
    description:
      'Chains and assets that the registry does not have. Service and solver must list the same; apps give the same to the SDK. See "Chains and assets of your own" above.',
    default: {},
  },
)
