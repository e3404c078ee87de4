// Describes the program's instructions as data, for the IDLs and for the tests that walk through all of them.

interface InstructionAccount {
  readonly name: string
  readonly writable?: true
  readonly signer?: true
  readonly about: string
}

interface Field {
  readonly name: string
  readonly type: 'u8' | 'u64' | 'i64' | 'pubkey' | 'bytes32' | 'bytes5'
}

interface ProgramInstruction {
  readonly name: string
  readonly tag: number
  readonly about: string
  readonly accounts: readonly InstructionAccount[]
  readonly fields: readonly Field[]
}

const order = { name: 'order', writable: true, about: 'derived from the terms' } as const
const initiator = { name: 'initiator', about: 'gets the money back when the order is refunded' } as const
const rentPayer = { name: 'rent_payer', writable: true, signer: true, about: 'gets the rent back when the order is closed' } as const
const systemProgram = { name: 'system_program', about: '11111111111111111111111111111111' } as const
const tokenProgram = { name: 'token_program', about: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' } as const
const vault = {
  name: 'vault',
  writable: true,
  about: 'the token account of the order, at the System program’s address for base order, seed "thevault", owner Token program',
} as const
const redeemer = {
  name: 'redeemer',
  signer: true,
  about: 'gives up its claim; or Sysvar1nstructions1111111111111111111111111, which does not sign, right after the signed consent',
} as const

const terms: readonly Field[] = [
  { name: 'amount', type: 'u64' },
  { name: 'timelock', type: 'u64' },
  { name: 'initiate_before', type: 'i64' },
  { name: 'redeemer', type: 'pubkey' },
  { name: 'secret_hash', type: 'bytes32' },
]
const secret: Field = { name: 'secret', type: 'bytes32' }

const deposit = { name: 'deposit', writable: true, about: 'derived from the order and the deadline' } as const
const deadline: readonly Field[] = terms.map((field) => (field.name === 'initiate_before' ? { ...field, name: 'deadline' } : field))
const returned: readonly Field[] = [...deadline, { name: 'mint', type: 'pubkey' }]
const owner = {
  name: 'initiator',
  writable: true,
  about: 'gets what was deposited; must sign while the order can still be initiated with it',
} as const
const readonlyOrder = { name: 'order', about: order.about } as const

const returns: readonly ProgramInstruction[] = [
  {
    name: 'return_deposit',
    tag: 11,
    about: 'Returns the SOL of a deposit. The argument `mint` is that of the order; 32 zeros stand for SOL.',
    accounts: [readonlyOrder, deposit, owner, systemProgram],
    fields: returned,
  },
  {
    name: 'return_deposited_tokens',
    tag: 12,
    about: 'Returns the tokens of a deposit, of any mint, and closes their account. The argument `mint` is that of the order.',
    accounts: [
      readonlyOrder,
      { name: 'deposit', about: deposit.about },
      owner,
      { name: 'deposit_tokens', writable: true, about: 'a token account of the deposit' },
      { name: 'initiator_tokens', writable: true, about: 'the associated token account of the initiator for the same mint' },
      { name: 'returned_mint', about: 'of both token accounts' },
      { name: 'token_program', about: 'of the mint: the classic one or Token-2022' },
    ],
    fields: returned,
  },
]

const close: ProgramInstruction = {
  name: 'close',
  tag: 8,
  about: 'Returns the rent of a settled order from `initiate_before` on. Anyone may.',
  accounts: [order, { name: 'rent_payer', writable: true, about: 'who paid it' }],
  fields: [],
}

const solInstructions: readonly ProgramInstruction[] = [
  {
    name: 'initiate',
    tag: 0,
    about: 'Locks SOL until the secret is shown or `timelock` slots have passed.',
    accounts: [order, { name: 'funder', writable: true, signer: true, about: 'pays the amount' }, rentPayer, initiator, systemProgram],
    fields: terms,
  },
  {
    name: 'redeem',
    tag: 1,
    about: 'Pays the redeemer. Anyone who knows the secret may.',
    accounts: [order, { name: 'redeemer', writable: true, about: 'of the order' }],
    fields: [secret],
  },
  {
    name: 'refund',
    tag: 2,
    about: 'Pays the initiator back once the timelock has passed. Anyone may.',
    accounts: [order, { name: 'initiator', writable: true, about: 'of the order' }],
    fields: [],
  },
  {
    name: 'instant_refund',
    tag: 3,
    about: 'Pays the initiator back at once, if the redeemer signs the transaction or has signed its consent.',
    accounts: [order, { name: 'initiator', writable: true, about: 'of the order' }, redeemer],
    fields: [],
  },
  close,
  {
    name: 'initiate_deposited',
    tag: 9,
    about: 'Locks the SOL of a deposit. Anyone may, before the deadline.',
    accounts: [order, deposit, rentPayer, { ...initiator, writable: true }, systemProgram],
    fields: deadline,
  },
  ...returns,
]

const tokenInstructions: readonly ProgramInstruction[] = [
  {
    name: 'initiate',
    tag: 4,
    about: 'Locks tokens until the secret is shown or `timelock` slots have passed.',
    accounts: [
      order,
      vault,
      { name: 'funder', signer: true, about: 'owner or delegate of the tokens' },
      rentPayer,
      initiator,
      { name: 'funder_tokens', writable: true, about: 'pays the amount' },
      { name: 'mint', about: 'of the classic Token program' },
      tokenProgram,
      systemProgram,
    ],
    fields: terms,
  },
  {
    name: 'redeem',
    tag: 5,
    about: 'Pays the redeemer. Anyone who knows the secret may.',
    accounts: [
      order,
      vault,
      { name: 'redeemer_tokens', writable: true, about: 'the associated token account of the redeemer' },
      tokenProgram,
    ],
    fields: [secret],
  },
  {
    name: 'refund',
    tag: 6,
    about: 'Pays the initiator back once the timelock has passed. Anyone may.',
    accounts: [
      order,
      vault,
      { name: 'initiator_tokens', writable: true, about: 'the associated token account of the initiator' },
      tokenProgram,
    ],
    fields: [],
  },
  {
    name: 'instant_refund',
    tag: 7,
    about: 'Pays the initiator back at once, if the redeemer signs the transaction or has signed its consent.',
    accounts: [
      order,
      vault,
      { name: 'initiator_tokens', writable: true, about: 'the associated token account of the initiator' },
      tokenProgram,
      redeemer,
    ],
    fields: [],
  },
  close,
  {
    name: 'initiate_deposited',
    tag: 10,
    about: 'Locks the tokens of a deposit. Anyone may, before the deadline.',
    accounts: [
      order,
      vault,
      { name: 'deposit', about: deposit.about },
      rentPayer,
      initiator,
      { name: 'deposit_tokens', writable: true, about: 'the associated token account of the deposit' },
      { name: 'mint', about: 'of the classic Token program' },
      tokenProgram,
      systemProgram,
    ],
    fields: deadline,
  },
  ...returns,
]

const solOrder: readonly Field[] = [
  { name: 'status', type: 'u8' },
  { name: 'kind', type: 'u8' },
  { name: 'bump', type: 'u8' },
  { name: 'settled_slot', type: 'bytes5' },
  { name: 'amount', type: 'u64' },
  { name: 'timelock', type: 'u64' },
  { name: 'initiated_slot', type: 'u64' },
  { name: 'initiate_before', type: 'i64' },
  { name: 'secret_hash', type: 'bytes32' },
  { name: 'initiator', type: 'pubkey' },
  { name: 'redeemer', type: 'pubkey' },
  { name: 'rent_payer', type: 'pubkey' },
]

export const programInterfaces = {
  htlc: { about: 'HTLC for SOL', instructions: solInstructions, order: solOrder },
  htlc_spltoken: {
    about: 'HTLC for tokens of the classic Token program',
    instructions: tokenInstructions,
    order: [...solOrder, { name: 'mint', type: 'pubkey' }, { name: 'vault', type: 'pubkey' }],
  },
} as const satisfies Record<
  string,
  { readonly about: string; readonly instructions: readonly ProgramInstruction[]; readonly order: readonly Field[] }
>

export const fieldSizes: Readonly<Record<Field['type'], number>> = { u8: 1, u64: 8, i64: 8, pubkey: 32, bytes32: 32, bytes5: 5 }
