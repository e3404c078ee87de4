/** Tests how a node's reasons for refusing a transaction are classified. */
import { expect, it } from 'vitest'
import { classifyRejection } from './rejection.ts'

// The words are those of Bitcoin Core (since 22), also as Esplora wraps them.
it.each([
  ['sendrawtransaction: Transaction already in block chain (-27)', 'known'],
  ['sendrawtransaction: Transaction outputs already in utxo set (-27)', 'known'],
  ['sendrawtransaction: txn-already-in-mempool (-26)', 'known'],
  ['sendrawtransaction: txn-already-known (-26)', 'known'],
  ['sendrawtransaction: bad-txns-inputs-missingorspent (-25)', 'missing'],
  ['sendrawtransaction RPC error: {"code":-25,"message":"bad-txns-inputs-missingorspent"}', 'missing'],
  ['sendrawtransaction: Missing inputs (-25)', 'missing'],
  ['sendrawtransaction: non-BIP68-final (-26)', 'later'],
  ['sendrawtransaction: too-long-mempool-chain, too many descendants for tx (-26)', 'later'],
  ['sendrawtransaction: too-large-cluster, exceeds cluster size limit (-26)', 'later'],
  ['sendrawtransaction: bip125-replacement-disallowed (-26)', 'underpriced'],
  ['sendrawtransaction: insufficient fee, rejecting replacement aa, less fees than conflicting txs (-26)', 'underpriced'],
  ['sendrawtransaction: min relay fee not met, 10 < 143 (-26)', 'underpriced'],
  ['sendrawtransaction: txn-mempool-conflict (-26)', 'underpriced'],
  ['sendrawtransaction: mandatory-script-verify-flag-failed (Invalid Schnorr signature) (-26)', 'invalid'],
  ['sendrawtransaction: dust (-26)', 'invalid'],
] as const)('%s → %s', (reason, kind) => {
  expect(classifyRejection(reason)).toBe(kind)
})
