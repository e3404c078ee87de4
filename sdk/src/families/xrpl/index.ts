/** The XRP Ledger: the user's account makes an escrow. */
import { parseAddress } from '../../../../src/chains/xrpl/address.ts'
import { fundingOf } from '../../../../src/chains/xrpl/funding.ts'
import { swapIdOf } from '../../../../src/chains/xrpl/htlc.ts'
import { type EscrowCreate, escrowCreateOf } from '../../../../src/protocol/funding/escrow-create.ts'
import type { FundingResult } from '../../../../src/protocol/funding/funding.ts'
import { verifySame } from '../../verify/check.ts'
import { verifySwap } from '../../verify/verify-swap.ts'
import type { XrplWallet } from '../../wallets/xrpl.ts'
import type { SdkFamily, SwapSide } from '../family.ts'

export type XrplPlan = { readonly escrow: EscrowCreate }

export const family: SdkFamily<XrplPlan, XrplWallet> = {
  name: 'xrpl',
  parseAddress: (text, chain) => parseAddress(chain, text),
  /** Escrows are part of the ledger. */
  deploymentOf: () => ({ htlc: null, token: null }),
  verifySource(side) {
    verifySide(side, side.payer)
    const escrow = escrowCreateOf(fundingOf({ terms: side.terms, deadline: side.deadline, payer: side.payer, approval: 'exact' }))
    const told = side.funding as Partial<FundingResult<'escrow'>>
    verifySame('escrow_create_tx', escrow, told.escrow_create_tx)
    return { escrow }
  },
  verifyDestination: (side) => verifySide(side, null),
  async fund({ escrow }, wallet, { signal }) {
    signal?.throwIfAborted()
    return { kind: 'sent', tx: await wallet.submit(escrow) }
  },
}

function verifySide(side: SwapSide, payer: string | null): void {
  const { chain, terms } = side
  verifySwap(side, { parse: (text) => parseAddress(chain, text), payer, swapId: () => swapIdOf(chain.id, terms) })
}
