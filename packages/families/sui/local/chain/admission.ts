// Checks a transaction like validators before they sign it: nothing is charged for one that they refuse.
import type { bcs } from '@mysten/sui/bcs'
import { MAX_GAS_BUDGET, MAX_GAS_PAYMENT_OBJECTS, minimumBudget } from '../execution/gas.ts'
import { GrpcError, invalidArgument } from '../grpc/status.ts'
import { readCoin } from '../objects/coin.ts'
import type { SuiObject } from '../objects/object.ts'
import type { ObjectReader } from '../objects/store.ts'
import { SUI_TYPE } from '../objects/types.ts'
import type { ObjectRef, TransactionData } from '../transactions/transaction.ts'
import { CLOCK_ID } from './genesis.ts'

export type AdmissionState = {
  readonly objects: ObjectReader
  readonly epoch: bigint
  readonly gasPrice: bigint
  readonly chainId: string
}

/** If `hasOwners` is false, objects of others may be used, as in a simulation without checks. */
export function assertInputs({ objects }: AdmissionState, data: TransactionData, hasOwners = true): void {
  const seen = new Set(data.gas.payment.map(({ objectId }) => objectId))
  for (const input of data.program.inputs) {
    if (input.$kind === 'Pure') continue
    if (input.$kind !== 'Object') throw invalidArgument('withdrawals from address balances are not supported by this simulator')
    const reference = input.Object
    if (reference.$kind === 'Receiving') throw invalidArgument('receiving objects is not supported by this simulator')
    const id = reference.$kind === 'SharedObject' ? reference.SharedObject.objectId : reference.ImmOrOwnedObject.objectId
    if (seen.has(id)) throw refused(`Mutable object ${id} cannot appear more than one in one transaction`)
    seen.add(id)
    if (reference.$kind === 'SharedObject') assertShared(objects, reference.SharedObject)
    else assertOwned(objects, reference.ImmOrOwnedObject, hasOwners ? data.sender : null)
  }
}

export function assertGas({ objects, gasPrice }: AdmissionState, { gas }: TransactionData): void {
  const { payment, owner, price, budget } = gas
  if (price < gasPrice) throw refused(`Gas price ${price} under reference gas price (RGP) ${gasPrice}`)
  if (budget > MAX_GAS_BUDGET) throw refused(`Gas budget: ${budget} is higher than max: ${MAX_GAS_BUDGET}.`)
  const least = minimumBudget(price)
  if (budget < least) throw refused(`Gas budget: ${budget} is lower than min: ${least}.`)
  if (payment.length === 0) throw refused('Transaction has no gas payment')
  if (payment.length > MAX_GAS_PAYMENT_OBJECTS)
    throw refused(`Size limit exceeded: maximum number of gas payment objects is ${MAX_GAS_PAYMENT_OBJECTS}`)
  if (new Set(payment.map(({ objectId }) => objectId)).size < payment.length) throw refused('Mutable object cannot appear more than one')
  let balance = 0n
  for (const ref of payment) {
    const coin = readCoin(assertOwned(objects, ref, owner))
    if (coin?.coinType !== SUI_TYPE) throw refused(`Gas object ${ref.objectId} is not a coin of SUI`)
    balance += coin.balance
  }
  if (balance < budget) throw refused(`Balance of gas object ${balance} is lower than the needed amount: ${budget}.`)
}

export function assertNotExpired({ epoch, chainId }: AdmissionState, { expiration }: TransactionData): void {
  if (isExpired(expiration, epoch)) throw refused('Transaction Expired')
  const chain = (expiration.ValidDuring ?? expiration.Validity)?.chain
  if (chain !== undefined && chain !== chainId) throw refused(`Transaction is for chain ${chain}, not for ${chainId}`)
}

function isExpired(expiration: typeof bcs.TransactionExpiration.$inferType, epoch: bigint): boolean {
  if (expiration.$kind === 'Epoch') return BigInt(expiration.Epoch) < epoch
  const window = expiration.ValidDuring ?? expiration.Validity
  if (window === undefined) return false
  return (window.maxEpoch !== null && BigInt(window.maxEpoch) < epoch) || (window.minEpoch !== null && BigInt(window.minEpoch) > epoch)
}

function assertOwned(objects: ObjectReader, { objectId, version, digest }: ObjectRef, owner: string | null): SuiObject {
  const object = objects.get(objectId)
  if (object === null)
    throw new GrpcError('ABORTED', `Could not find the referenced object ${objectId} at version Some(SequenceNumber(${version}))`)
  if (object.version !== BigInt(version))
    throw refused(
      `Object ID ${objectId} Version ${version} Digest ${digest} is not available for consumption, current version: ${object.version}`,
    )
  if (object.digest !== digest) throw refused(`Invalid Object digest for object ${objectId} expected_digest: ${object.digest}`)
  if (object.owner.kind === 'shared' || object.owner.kind === 'object')
    throw refused(`Object ${objectId} is not owned by an address: it cannot be used in this way`)
  if (owner !== null && object.owner.kind === 'address' && object.owner.address !== owner)
    throw refused(
      `Transaction was not signed by the correct sender: Object ${objectId} is owned by account address ${object.owner.address}, but given owner/signer address is ${owner}`,
    )
  return object
}

function assertShared(objects: ObjectReader, { objectId, initialSharedVersion, mutable }: typeof bcs.SharedObjectRef.$inferType): void {
  // sui-transaction-checks: nobody but the system may change the clock.
  if (objectId === CLOCK_ID && mutable) throw refused('Found a mutable input object of the clock: an immutable parameter is expected')
  const object = objects.get(objectId)
  if (object === null) throw new GrpcError('ABORTED', `Could not find the referenced object ${objectId} at version None`)
  if (object.owner.kind !== 'shared') throw refused(`Object ${objectId} is not a shared object`)
  if (object.owner.initialVersion !== BigInt(initialSharedVersion))
    throw refused(`The shared object ${objectId} has another initial version`)
}

function refused(reason: string): GrpcError {
  return invalidArgument(`Error checking transaction input objects: ${reason}`)
}
