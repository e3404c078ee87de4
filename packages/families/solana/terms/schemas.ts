/** Gives the IDLs of the HTLC programs, without the address of the program, which differs by chain: the API names it for each asset. */
import htlcIdl from '../contract/artifacts/htlc.json' with { type: 'json' }
import htlcTokenIdl from '../contract/artifacts/htlc_spltoken.json' with { type: 'json' }
import { tokenProgram } from '../contract/client/programs.ts'

/** Wallets need this interface of SPL tokens, in the form of the program's own IDLs. Discriminators are one byte. */
const source = { name: 'source', writable: true }
const destination = { name: 'destination', writable: true }
const mint = { name: 'mint' }
const owner = { name: 'owner', docs: ['of the source, or its delegate'], signer: true }
const amount = { name: 'amount', type: 'u64' }
const decimals = { name: 'decimals', type: 'u8' }
const optionalKey = { array: ['u8', 36] }

const tokenSchema = {
  address: tokenProgram,
  metadata: { name: 'spl_token', version: '1.0.0', spec: '0.1.0', description: 'Tokens of the classic Token program' },
  instructions: [
    { name: 'transfer', discriminator: [3], accounts: [source, destination, owner], args: [amount] },
    { name: 'approve', discriminator: [4], accounts: [source, { name: 'delegate' }, owner], args: [amount] },
    { name: 'revoke', discriminator: [5], accounts: [source, owner], args: [] },
    { name: 'transfer_checked', discriminator: [12], accounts: [source, mint, destination, owner], args: [amount, decimals] },
  ],
  types: [
    {
      name: 'Mint',
      type: {
        kind: 'struct',
        fields: [
          { name: 'mint_authority', type: optionalKey },
          { name: 'supply', type: 'u64' },
          decimals,
          { name: 'is_initialized', type: 'bool' },
          { name: 'freeze_authority', type: optionalKey },
        ],
      },
    },
    {
      name: 'Account',
      type: {
        kind: 'struct',
        fields: [
          { name: 'mint', type: 'pubkey' },
          { name: 'owner', type: 'pubkey' },
          amount,
          { name: 'delegate', type: optionalKey },
          { name: 'state', type: 'u8' },
          { name: 'is_native', type: { array: ['u8', 12] } },
          { name: 'delegated_amount', type: 'u64' },
          { name: 'close_authority', type: optionalKey },
        ],
      },
    },
  ],
} as const

export const schemas = { 'solana:htlc': htlcIdl, 'solana:htlc_spltoken': htlcTokenIdl, 'solana:spltoken': tokenSchema }
