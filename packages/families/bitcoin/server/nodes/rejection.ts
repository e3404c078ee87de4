/** Classifies why a node refused a transaction, by Bitcoin Core's reject reasons, which Esplora passes on. */

/**
 * known: the transaction is in the mempool or in a block already, which is success.
 * missing: an input is spent, or its transaction is unknown.
 * later: a timelock has not passed, or the chain of unconfirmed ancestors is too long.
 * underpriced: the transaction pays too little for the mempool, or to replace a transaction there.
 * invalid: the transaction would never be accepted.
 */
export type Rejection = 'known' | 'missing' | 'later' | 'underpriced' | 'invalid'

const patterns: readonly (readonly [Rejection, RegExp])[] = [
  ['known', /already in (the )?(block ?chain|utxo set|mempool)|txn-already-(in-mempool|known)|txn-same-nonwitness-data-in-mempool/i],
  ['missing', /missing-?inputs|missingorspent|missing inputs|bad-txns-spends-conflicting-tx/i],
  ['later', /non-final|non-BIP68-final|too-long-mempool-chain|too-large-cluster|premature-spend/i],
  [
    'underpriced',
    /insufficient fee|min relay fee not met|mempool min fee not met|mempool full|txn-mempool-conflict|bip125-replacement-disallowed|replacement-adds-unconfirmed|too many potential replacements/i,
  ],
]

export function classifyRejection(reason: string): Rejection {
  return patterns.find(([, pattern]) => pattern.test(reason))?.[0] ?? 'invalid'
}
