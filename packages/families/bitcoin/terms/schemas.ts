/** Describes the HTLC on chains of the Bitcoin family, for clients, as an ABI does elsewhere. */
/** Words in <> are the terms. Scripts are in Bitcoin Core's notation. */

export const htlcSchema = {
  keys: {
    initiator: 'on a source: `delegate` of the order record, or `initiator` if there is none; on a destination `initiator`, the solver',
    redeemer: 'on a source `redeemer`, the solver; on a destination: `delegate` of the order record, or `redeemer` if there is none',
  },
  output: 'taproot (BIP341)',
  internal_key: 'MuSig2 (BIP327) KeyAgg(KeySort(02<initiator>, 02<redeemer>)), x-only: both parties together spend by the key path',
  leaves: [
    { name: 'redeem', depth: 1, script: 'OP_SIZE 32 OP_EQUALVERIFY OP_SHA256 <secret_hash> OP_EQUALVERIFY <redeemer> OP_CHECKSIG' },
    { name: 'refund', depth: 2, script: '<timelock> OP_CHECKSEQUENCEVERIFY OP_DROP <initiator> OP_CHECKSIG' },
    { name: 'instant_refund', depth: 2, script: '<initiator> OP_CHECKSIG <redeemer> OP_CHECKSIGADD 2 OP_NUMEQUAL' },
  ],
} as const

export const schemas = { 'bitcoin:htlc': htlcSchema }
