/** Describes the HTLC on chains of the Bitcoin family. */
import { htlcSchema } from './script/schema.ts'

export const schemas = { 'bitcoin:htlc': htlcSchema }
