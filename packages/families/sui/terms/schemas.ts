/** The interfaces of the HTLC module and of coins, as Sui's nodes describe a module. Its package differs by chain: the registry of an asset names it. */
import htlcInterface from '../contract/artifacts/htlc.json' with { type: 'json' }
import { coinSchema } from './coin-schema.ts'

export const schemas = { 'sui:htlc': htlcInterface, 'sui:coin': coinSchema }
