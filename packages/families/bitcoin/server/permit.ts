/**
 * What our keys may sign on Bitcoin and Litecoin: what the purpose says, about its orders, and nothing that costs our wallet more than fees. Only an
 * initiation and a withdrawal take money out of it. Deposits go to our own wallet, or, with the key of a user, to where the order says.
 */
import { type PermitSigning, SigningRefused } from '@tandem/keys/permit.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { BitcoinNetwork } from '../terms/networks.ts'
import type { CosignJobs } from './cosign/signing-jobs.ts'
import { cosignRules } from './permit/cosign-rules.ts'
import type { Asked, RulesOf } from './permit/request.ts'
import { spendRules } from './permit/spend-rules.ts'
import { walletRules } from './permit/wallet-rules.ts'
import type { BitcoinOperations } from './signing.ts'

export function createPermit(chain: Chain, network: BitcoinNetwork): PermitSigning {
  const place = { chain, network }
  const rules: RulesOf<BitcoinOperations & CosignJobs> = { ...walletRules(place), ...spendRules(place), ...cosignRules(place) }
  return ({ operation, args, ...asked }) => {
    const { purpose } = asked
    if (purpose.chain !== chain.id) throw new SigningRefused(purpose, `this key signs on ${chain.id} here`)
    if (purpose.kind === 'order' && purpose.actions.some(({ terms }) => terms.asset !== chain.nativeAsset))
      throw new SigningRefused(purpose, `orders here have the asset ${chain.nativeAsset}`)
    if (!isOperation(rules, operation)) throw new SigningRefused(purpose, `there is no rule for the operation "${operation}"`)
    const rule: (asked: Asked, ...args: never[]) => void = rules[operation]
    Reflect.apply(rule, undefined, [asked, ...args])
  }
}

function isOperation<R extends object>(rules: R, name: string): name is keyof R & string {
  return Object.hasOwn(rules, name)
}
