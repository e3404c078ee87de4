/** IDLs of the HTLC programs, without the address of the program, which differs by chain: the API names it for each asset. */
import htlcIdl from '../contract/artifacts/htlc.json' with { type: 'json' }
import htlcTokenIdl from '../contract/artifacts/htlc_spltoken.json' with { type: 'json' }
import { tokenSchema } from './token-schema.ts'

export const schemas = { 'solana:htlc': htlcIdl, 'solana:htlc_spltoken': htlcTokenIdl, 'solana:spltoken': tokenSchema }
