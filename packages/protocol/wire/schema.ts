/** GET /schemas shows the interface of a deployed contract. */
import { type Static, Type } from 'typebox'

export const SchemaRecord = Type.Object(
  {
    name: Type.String({ description: 'e.g. evm:htlc_erc20' }),
    schema: Type.Unknown({ description: "an ABI, or the chain's equivalent" }),
  },
  { title: 'ContractSchema' },
)
export type SchemaRecord = Static<typeof SchemaRecord>
