/** The preliminary results of submitted transactions: see "Transaction Results" at xrpl.org. */
import type { NonceRefusal } from '../../contract/nonce-lane.ts'

/**
 * accepted   the node has it: in its open ledger, in its queue, or validated. `tec` codes too: the transaction is relayed, and takes a fee unless the state changes
 * gap        an earlier sequence is missing at this node
 * trouble    the node cannot take it now: send it again
 * refused    the chain refuses it as it is
 */
export type Verdict = 'accepted' | 'gap' | 'trouble' | 'refused' | NonceRefusal

const named: Readonly<Record<string, Verdict>> = {
  tesSUCCESS: 'accepted',
  terQUEUED: 'accepted',
  tefALREADY: 'accepted',
  terPRE_SEQ: 'gap',
  tefPAST_SEQ: 'nonce-used',
  // Its last ledger has passed: it is signed again, for later ledgers.
  tefMAX_LEDGER: 'underpriced',
  telINSUF_FEE_P: 'underpriced',
  telCAN_NOT_QUEUE_FEE: 'underpriced',
  telCAN_NOT_QUEUE_FULL: 'underpriced',
  terINSUF_FEE_B: 'refused',
  terNO_ACCOUNT: 'refused',
}

const byClass: Readonly<Record<string, Verdict>> = { tec: 'accepted', tel: 'trouble', ter: 'trouble', tef: 'refused', tem: 'refused' }

export function verdictOn(result: string): Verdict {
  return named[result] ?? byClass[result.slice(0, 3)] ?? 'refused'
}
