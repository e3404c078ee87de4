/** The user's account makes an escrow of the chain itself. Its wallet adds sequence and fee, signs and sends it. */
import { Type } from 'typebox'
import { type EscrowInstructions, escrowCreateOf } from './escrow-create.ts'
import { defineWay } from './way.ts'

const EscrowCreate = Type.Object(
  {
    TransactionType: Type.Literal('EscrowCreate', { description: 'the kind of transaction' }),
    Account: Type.String({ description: 'pays, and gets what is refunded' }),
    Destination: Type.String({ description: 'who gets it with the secret' }),
    DestinationTag: Type.Optional(Type.Integer({ description: 'only if there is one' })),
    Amount: Type.String({ description: 'in drops' }),
    Condition: Type.String({ description: 'PREIMAGE-SHA-256 of the secret hash' }),
    CancelAfter: Type.Integer({ description: 'seconds since 2000: when a refund becomes possible' }),
  },
  {
    title: 'EscrowCreate',
    description:
      'to be signed and sent by the owner before the deadline, exactly as it is; the wallet adds Fee, Sequence and LastLedgerSequence. An escrow with other fields does not fund the order. Send it once: a second one is only refunded after its CancelAfter',
  },
)

const fields = { escrow_create_tx: EscrowCreate }

export const escrow = defineWay('FundByEscrow', fields, (instructions: EscrowInstructions) => ({
  escrow_create_tx: escrowCreateOf(instructions),
}))
