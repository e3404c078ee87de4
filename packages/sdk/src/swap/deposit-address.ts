/** The deposit address of an order: it is computed here, and the money is taken out of it without the service. */
import { verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import type { DepositAddresses, DepositSide, SdkFamily } from '@tandem/chain-kit/browser/family.ts'
import { NotPossibleError, RescueInputError } from '@tandem/chain-kit/browser/refusals.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import { type DepositPackage, readDepositPackage, termsOf } from '@tandem/protocol/funding/deposit-package.ts'
import { sideOf } from '../rescue/find-locks.ts'
import { pinnedAsset } from '../verify/pinned.ts'
import { addressesOf, packageOf } from '../verify/verify-deposit.ts'
import { nodeOf, type SwapContext } from './context.ts'
import { assetOf, readHeld, tokenOn } from './deposit-tokens.ts'
import { loadSwap } from './saved-swap.ts'
import { recordOf, sourceOf } from './side.ts'

/** An order of this storage by its id, or the package that `depositPackage` or the service gave, from anywhere. */
export type DepositSource = string | DepositPackage | Readonly<Record<string, unknown>>

export type DepositAddress = {
  readonly asset: string
  readonly address: string
  /** This much funds the order until the deadline (unix seconds). */
  readonly amount: bigint
  readonly deadline: bigint
  /** What the address holds of the asset now, as a node shows it. It is null if no node was asked. */
  readonly held: bigint | null
  /** Who gets what is refunded or returned. */
  readonly initiator: string
}

export type DepositBalance = {
  /** It is null for a token that the registry does not know. */
  readonly asset: string | null
  /** It is null without a node, and where the family does not read other tokens. */
  readonly held: bigint | null
}

type With = { readonly signal?: AbortSignal }
/** Another token that was sent by mistake; null stands for the coin of the chain. */
type OfToken = { readonly token?: string | null }
/** With `read: false` no node is asked: a silent one hinders nobody who has a wallet. */
export type AddressOptions = With & { readonly read?: boolean }
export type LookOptions = With & OfToken
export type ReturnOptions = With &
  OfToken & {
    /** It sends the call and pays the fee. Anybody's wallet of the chain may. */
    readonly wallet: Wallet
  }

/** What the user needs to take the money out anywhere, without this storage: no secret is in it. */
export async function depositPackage(context: SwapContext, orderId: string, given: With = {}): Promise<DepositPackage> {
  const { side, address } = await open(context, orderId, given)
  return packageOf(side, address)
}

export async function depositAddress(
  context: SwapContext,
  of: DepositSource,
  { read = true, ...given }: AddressOptions = {},
): Promise<DepositAddress> {
  const { side, addresses, address } = await open(context, of, given)
  const node = read ? nodeOf(context, side.chain, given.signal) : null
  const { asset, amount, initiator } = side.terms
  return { asset, address, amount, deadline: side.deadline, held: node === null ? null : await addresses.amountAt(side, node), initiator }
}

/** What `returnDeposit` would return. The address is not told: an order that is only to be emptied is not verified as one that is to be paid. */
export async function depositBalance(
  context: SwapContext,
  of: DepositSource,
  { token: given, ...rest }: LookOptions = {},
): Promise<DepositBalance> {
  const { side, family } = await open(context, of, rest, 'return')
  const token = tokenOn(family, side, given)
  const node = nodeOf(context, side.chain, rest.signal)
  return { asset: await assetOf(context, family, side, token), held: node === null ? null : await readHeld(family, side, token, node) }
}

/** Returns all that lies at the address to the initiator. Before the deadline, and before the order is initiated, only the initiator may on most chains. */
export async function returnDeposit(context: SwapContext, of: DepositSource, { wallet, token, ...given }: ReturnOptions): Promise<string> {
  const { side, family, addresses } = await open(context, of, given, 'return')
  const which = tokenOn(family, side, token)
  return addresses.giveBack(side, await senderOf(context, family, side, wallet, given), which)
}

/** Locks the amount at the address without the service, until the deadline. */
export async function initiateDeposit(context: SwapContext, of: DepositSource, { wallet, ...given }: ReturnOptions): Promise<string> {
  const { side, family, addresses } = await open(context, of, given)
  return addresses.initiate(side, await senderOf(context, family, side, wallet, given))
}

type Opened = {
  readonly side: DepositSide
  readonly family: SdkFamily
  readonly addresses: DepositAddresses<Wallet>
  readonly address: string
}

async function open(context: SwapContext, of: DepositSource, given: With, to: 'pay' | 'return' = 'pay'): Promise<Opened> {
  const side = typeof of === 'string' ? await sideOfOrder(context, of, given, to) : await sideOfPackage(context, readPackage(of))
  const family = await loadFamily(side.chain.family)
  const addresses = addressesOf(family, side.chain.id)
  const address = addresses.addressOf(side)
  if (typeof of !== 'string') verifySame('refund_package', packageOf(side, address), of)
  return { side, family, addresses, address }
}

async function sideOfOrder(context: SwapContext, orderId: string, { signal }: With, to: 'pay' | 'return'): Promise<DepositSide> {
  const saved = await loadSwap(context, orderId)
  const { side, family } = await sourceOf(context, saved, await recordOf(context, saved, signal))
  // Before the wallet is asked, the record is the service's word: the money must come back to the user, and fund no other swap. A return
  // goes to the initiator in any case, and a restored swap may have another address of the user than its own.
  if (to === 'pay') await family.verifyDestination(side)
  verifyThat(
    side.record.deposit_address !== undefined,
    'source_swap.deposit_address',
    'an address: the order was made without one',
    undefined,
  )
  return side
}

/** Its user gave the package, and reads what is wrong with it. */
function readPackage(of: Exclude<DepositSource, string>): DepositPackage {
  try {
    return readDepositPackage(of)
  } catch (cause) {
    throw new RescueInputError('this is not the refund package of a deposit address', { cause })
  }
}

/** The contract is the pinned one, whatever the package says. */
async function sideOfPackage({ options }: SwapContext, given: DepositPackage): Promise<DepositSide> {
  const pinned = await pinnedAsset(given.asset, options.deployments ?? {}, options.registry)
  return { ...pinned, terms: termsOf(given), deadline: BigInt(given.deadline) }
}

async function senderOf(context: SwapContext, family: SdkFamily, side: DepositSide, wallet: Wallet, { signal }: With) {
  const { chain } = side
  if (!wallet.families.includes(chain.family))
    throw new NotPossibleError('wrong_wallet', chain.id, `the wallet does not work on ${chain.id}`)
  const by = { wallet, node: nodeOf(context, chain, signal) }
  await family.verifyWallet?.(sideOf(chain, { ...side, leg: 'source', tx: '' }), by, 'settle')
  return by
}
