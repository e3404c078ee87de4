/** Classifies the preliminary results of submitted transactions: see "Transaction Results" at xrpl.org. */

/**
 * accepted: the node has it: in its open ledger, in its queue, or validated. `tec` codes too: the transaction is relayed, and takes a fee
 * unless the state changes.
 * gap: an earlier sequence is missing at this node.
 * used: another transaction has its sequence, at least in the node's open ledger, which may change.
 * low: the fee is too low for the next ledger or the queue, or its last ledger has passed: it is signed again with the same sequence.
 * trouble: the node cannot take it now, and it is sent again.
 * refused: the chain refuses it as it is.
 */
export type Verdict = 'accepted' | 'gap' | 'used' | 'low' | 'trouble' | 'refused'

const named: Readonly<Record<string, Verdict>> = {
  tesSUCCESS: 'accepted',
  terQUEUED: 'accepted',
  tefALREADY: 'accepted',
  terPRE_SEQ: 'gap',
  tefPAST_SEQ: 'used',
  tefMAX_LEDGER: 'low',
  telINSUF_FEE_P: 'low',
  telCAN_NOT_QUEUE_FEE: 'low',
  telCAN_NOT_QUEUE_FULL: 'low',
  terINSUF_FEE_B: 'refused',
  terNO_ACCOUNT: 'refused',
}

const byClass: Readonly<Record<string, Verdict>> = { tec: 'accepted', tel: 'trouble', ter: 'trouble', tef: 'refused', tem: 'refused' }

export function verdictOn(result: string): Verdict {
  return named[result] ?? byClass[result.slice(0, 3)] ?? 'refused'
}
