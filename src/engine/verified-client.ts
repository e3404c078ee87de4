/** A client of a node that was not heard yet: it asks nothing and sends nothing before the node has proven to be its chain. */
import type { ChainClient } from '../chains/family.ts'

/**
 * Free: answered without the node, or of use while it is silent. Of an ability, the methods that are listed ask the node, and the others are
 * pure. New abilities must be sorted here to compile.
 */
const access: Readonly<Record<keyof ChainClient, 'free' | 'verified' | readonly string[]>> = {
  chain: 'free',
  parseAddress: 'free',
  identityOf: 'free',
  addressOf: 'free',
  userParty: 'free',
  swapId: 'free',
  parseUserKey: 'free',
  verifyMessage: 'free',
  refundPackage: 'free',
  openFunding: 'free',
  verifyNode: 'free',
  close: 'free',
  tip: 'verified',
  blockAt: 'verified',
  events: 'verified',
  unconfirmedEvents: 'verified',
  balance: 'verified',
  funding: 'verified',
  verifyPayout: 'verified',
  payoutFee: 'verified',
  initiate: 'verified',
  redeem: 'verified',
  refund: 'verified',
  cancel: 'verified',
  gasless: ['verify', 'initiate'],
  instantRefund: ['propose', 'send'],
  redeemTogether: ['redeem', 'draft'],
}

/** Once the node is verified, nothing stands between it and the caller. */
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
  const guardSome = (ability: object, names: readonly string[]) =>
    Object.fromEntries(Object.entries(ability).map(([name, value]) => [name, names.includes(name) ? guard(value) : value]))

  const guarded = Object.entries(client).map(([name, value]: [string, unknown]) => {
    const kind = access[name as keyof ChainClient]
    if (kind === 'free') return [name, name === 'verifyNode' ? verify : value]
    return [name, kind !== 'verified' && typeof value === 'object' && value !== null ? guardSome(value, kind) : guard(value)]
  })
  return Object.fromEntries(guarded) as ChainClient
}
