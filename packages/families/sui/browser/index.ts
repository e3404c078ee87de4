/** Connects the SDK to Sui: the user's wallet adds sender and gas to a programmable transaction, signs and executes it. */
import { bcs } from '@mysten/sui/bcs'
import { Transaction } from '@mysten/sui/transactions'
import { isValidTransactionDigest } from '@mysten/sui/utils'
import { verifyParsed, verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import { assertFreshTip } from '@tandem/chain-kit/browser/clock.ts'
import { contractSides } from '@tandem/chain-kit/browser/contract-sides.ts'
import type { Node, SdkFamily, Sender, SourceSide, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { assertNoProblem, assertThere } from '@tandem/chain-kit/browser/node-error.ts'
import { VerificationError } from '@tandem/chain-kit/browser/verification-error.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { FundingResult } from '@tandem/protocol/funding/funding.ts'
import type { Deployed } from '../server/deployments.ts'
import type { ObjectRef } from '../server/nodes/node.ts'
import { type Address, parseAddress } from '../terms/address.ts'
import { SUI_TYPE } from '../terms/coin-type.ts'
import { createContracts, type HtlcContract, swapIdOf } from '../terms/htlc.ts'
import { chainProblem } from '../terms/nodes/chain-problem.ts'
import { initiateCallOf, redeemCallOf, refundCallOf, type SuiCall, transactionWith } from '../terms/send/call.ts'
import { openNode } from './node.ts'
import { readLock, settledAs } from './read-lock.ts'
import type { SuiWallet } from './wallet.ts'

export type SuiPlan = {
  readonly chain: string
  readonly payer: string
  /** The bytes are BCS of a transaction kind. */
  readonly kind: Uint8Array
  /** The payer held too little of the coin when the service read it: the transaction would fail. */
  readonly isShort: boolean
}

const PUBLIC_NETWORKS: readonly string[] = ['sui:mainnet', 'sui:testnet', 'sui:devnet']
const FIELD = 'ptb_bytes'

const { contractOf, sidesWith } = contractSides({ createContracts, parseAddress, swapIdOf })

export const family: SdkFamily<SuiPlan, SuiWallet> = {
  name: 'sui',
  ...sidesWith(planOf),
  deploymentOf: () => null,
  verifyNode: (side, node) => verifyNode(side.chain, contractOf(side), node),
  async fund({ chain, payer, kind, isShort }, wallet, { signal }) {
    signal?.throwIfAborted()
    if (isShort) throw new Error(`${payer} holds too little of the coin`)
    const transaction = Transaction.fromKind(kind)
    transaction.setSender(payer)
    return { kind: 'sent', tx: await wallet.execute(chain, payer, transaction) }
  },
  readLock: (side, node) => readLock(contractOf(side), packageOf(side), side.terms, node),
  settledAs: (side, node) => settledAs(contractOf(side), packageOf(side), side.terms, node),
  findLocks: async (...search) => (await import('./find-locks.ts')).findLocks(...search),
  refund: (side, by) => settle(side, by, (deployed) => refundCallOf(deployed, side.terms)),
  redeem: (side, secret, by) => settle(side, by, (deployed) => redeemCallOf(deployed, side.terms, secret)),
}

async function planOf(side: SourceSide, contract: HtlcContract): Promise<SuiPlan> {
  const { ptb_bytes: given = [] } = side.funding as Partial<FundingResult<'programmableTransaction'>>
  const { coins, initialSharedVersion } = inputsOf(Uint8Array.from(given), contract)
  const deployed = { ...contract, packageId: packageOf(side), initialSharedVersion }
  const transaction = transactionWith(initiateCallOf(deployed, side.terms, side.deadline * 1000n), coins)
  const kind = await transaction.build({ onlyTransactionKind: true })
  verifySame(FIELD, [...kind], given)
  return {
    chain: networkOf(side.chain),
    payer: parseAddress(side.payer ?? side.terms.initiator),
    kind,
    isShort: contract.coinType !== SUI_TYPE && coins.length === 0,
  }
}

/** The node claims the version since which the registry is shared. With a wrong one the transaction fails. */
async function settle(side: SwapSide, { wallet, node }: Sender<SuiWallet>, callOf: (deployed: Deployed) => SuiCall): Promise<string> {
  if (node === null) throw new Error(`name a node of ${side.chain.id} in the option nodes: the version of the registry is read from it`)
  const contract = contractOf(side)
  const initialSharedVersion = (await openNode(node).object(contract.registry))?.initialSharedVersion ?? null
  if (initialSharedVersion === null) throw new Error(`the node shows no registry at ${contract.registry}`)
  const from = await wallet.address(side.chain)
  const transaction = transactionWith(callOf({ ...contract, packageId: packageOf(side), initialSharedVersion }), [])
  transaction.setSender(from)
  return wallet.execute(networkOf(side.chain), from, transaction)
}

function networkOf({ reference }: Chain): string {
  return PUBLIC_NETWORKS.includes(reference) ? reference : 'sui:localnet'
}

/** Another package could steal the coin, so the package is pinned too. It does not follow from the registry's address. */
function packageOf({ asset, deployment }: SwapSide): Address {
  if (deployment.package === undefined) throw new Error(`the package of ${asset.id} is not known: name it in the option deployments`)
  return parseAddress(deployment.package)
}

/**
 * Only the service knows which coins the payer has, and since which version the registry is shared. With wrong ones the transaction fails:
 * only coins of the payer can be spent, and their remaining value stays with the payer.
 */
function inputsOf(kind: Uint8Array, { registry }: HtlcContract): { coins: readonly ObjectRef[]; initialSharedVersion: string } {
  const objects = parseKind(kind).flatMap((input) => (input.Object === undefined ? [] : [input.Object]))
  const coins = objects.flatMap(({ ImmOrOwnedObject: ref }) => (ref === undefined ? [] : [coinOf(ref)]))
  const shared = objects.find(({ SharedObject: object }) => object?.objectId === registry)?.SharedObject
  verifyThat(shared !== undefined, FIELD, `the registry ${registry} among its inputs`, 'none')
  return { coins, initialSharedVersion: String(shared.initialSharedVersion) }
}

function coinOf({ objectId, version, digest }: Owned): ObjectRef {
  // Digests have the same form for objects and transactions.
  verifyThat(isValidTransactionDigest(digest), FIELD, 'a coin with a digest of 32 bytes', digest)
  return { id: verifyParsed(FIELD, 'the id of a coin', objectId, parseAddress), version: BigInt(version), digest }
}

type Owned = { readonly objectId: string; readonly version: string; readonly digest: string }

type Input = {
  readonly Object?: {
    readonly ImmOrOwnedObject?: Owned
    readonly SharedObject?: { readonly objectId: string; readonly initialSharedVersion: string | number }
  }
}

function parseKind(kind: Uint8Array): readonly Input[] {
  try {
    return bcs.TransactionKind.parse(kind).ProgrammableTransaction?.inputs ?? []
  } catch {
    throw new VerificationError(FIELD, 'a transaction kind', [...kind])
  }
}

async function verifyNode(chain: Chain, { registry }: HtlcContract, on: Node): Promise<void> {
  const node = openNode(on)
  assertNoProblem(await chainProblem(chain, node))
  assertFreshTip(chain, (await node.newestCheckpoint()).timeMs / 1000n)
  assertThere((await node.object(registry)) !== null, registry)
}
