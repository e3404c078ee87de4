/** A client that reads and sends nothing until its node is verified to serve the right chain. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'

type Access = 'free' | 'verified'
/** Abilities that have both pure methods and methods that call the node. */
type Ability = 'distributor' | 'gasless' | 'prefund' | 'rent' | 'instantRefund' | 'batchRedeem' | 'cosignedRedeem' | 'transfer'

/** A free member is answered without the node, or is useful while the node does not answer. A new member must be listed here to compile. */
const access: {
  readonly [K in keyof ChainClient]-?: K extends Ability ? Readonly<Record<keyof NonNullable<ChainClient[K]>, Access>> : Access
} = {
  chain: 'free',
  curve: 'free',
  text: 'free',
  identityOf: 'free',
  addressOf: 'free',
  swapId: 'free',
  permitSigning: 'free',
  prepare: 'free',
  orderKeys: 'free',
  partialDeposits: 'free',
  payoutGas: 'free',
  cosignedRefund: 'free',
  verifyNode: 'free',
  close: 'free',
  inspectProviders: 'free',
  newBlocks: 'free',
  tip: 'verified',
  tipHint: 'verified',
  headers: 'verified',
  finalHeight: 'verified',
  events: 'verified',
  branchEvents: 'verified',
  unconfirmedEvents: 'verified',
  readHtlc: 'verified',
  balance: 'verified',
  funding: 'verified',
  verifyPayout: 'verified',
  payoutFee: 'verified',
  legCost: 'verified',
  checkRecipient: 'verified',
  checkSender: 'verified',
  oracle: 'verified',
  initiate: 'verified',
  redeem: 'verified',
  refund: 'verified',
  cancel: 'verified',
  gasless: {
    supports: 'free',
    verify: 'verified',
    initiate: 'verified',
    limits: 'verified',
    spendable: 'verified',
    offers: 'verified',
    hasReverted: 'verified',
  },
  prefund: { addressOf: 'free', isProven: 'free', amounts: 'verified', initiate: 'verified', reclaim: 'verified' },
  rent: { keptUntil: 'verified', giveBack: 'verified' },
  instantRefund: {
    propose: 'verified',
    maxCost: 'verified',
    send: 'verified',
    sign: 'verified',
    combine: 'verified',
  },
  distributor: {
    contractOf: 'free',
    tokenOf: 'free',
    sign: 'free',
    isDeployed: 'verified',
    paid: 'verified',
    deploy: 'verified',
    fund: 'verified',
  },
  batchRedeem: { areRedeemable: 'verified', redeem: 'verified' },
  transfer: { send: 'verified', outcome: 'verified', fee: 'verified' },
  cosignedRedeem: { send: 'verified', draft: 'verified', isOffer: 'free', cosign: 'free', verify: 'free' },
}

/** After the first verification, calls go straight to the client. */
export function createVerifiedClient(client: ChainClient): ChainClient {
  let verified = false
  let verifying: Promise<void> | null = null

  function verify(): Promise<void> {
    verifying ??= client
      .verifyNode()
      .then(() => {
        verified = true
      })
      .finally(() => {
        verifying = null
      })
    return verifying
  }

  const guard = (value: unknown): unknown => {
    if (typeof value !== 'function') return value
    return (...args: readonly unknown[]) =>
      verified ? Reflect.apply(value, undefined, args) : verify().then(() => Reflect.apply(value, undefined, args))
  }
  const guardSome = (ability: object, kinds: Readonly<Record<string, Access>>) =>
    Object.fromEntries(Object.entries(ability).map(([name, value]) => [name, kinds[name] === 'free' ? value : guard(value)]))

  const guarded = Object.entries(client).map(([name, value]: [string, unknown]) => {
    const kind = access[name as keyof ChainClient]
    if (kind === 'free') return [name, name === 'verifyNode' ? verify : value]
    return [name, typeof kind === 'object' && typeof value === 'object' && value !== null ? guardSome(value, kind) : guard(value)]
  })
  return Object.fromEntries(guarded) as ChainClient
}
