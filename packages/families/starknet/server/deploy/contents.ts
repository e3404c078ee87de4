/** Builds the transactions of a deployment: an account deploys itself, and the Universal Deployer Contract (UDC) deploys a contract. */

import type { PublicKey } from '@tandem/keys/key.ts'
import { hash } from 'starknet'
import { type Felt, felt, selectorOf } from '../../contract/client/felt.ts'
import { feltOf } from '../../terms/address.ts'
import { accountOf, publicKeyFelt } from '../account.ts'
import type { NodeCall } from '../nodes/node.ts'
import { executeCalldata, invokeWire, type Multicall, wireFields } from '../send/transaction.ts'
import type { AccountDeployment } from '../send/transaction-hash.ts'
import { starknetSigning } from '../signing.ts'
import type { Content } from './own-transaction.ts'

/** The UDC has this address on every Starknet network: docs.openzeppelin.com, "Universal Deployer Contract". */
const UDC: Felt = '0x2ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125'
const DEPLOY = selectorOf('deploy_contract')
/** All contracts have one salt: with the same arguments the address is the same on every network. */
const SALT: Felt = '0x0'
const NO_DEPLOYER: Felt = '0x0'

export function deployedAddress(classHash: Felt, constructorCalldata: readonly Felt[]): Felt {
  return feltOf(hash.calculateContractAddressFromHash(SALT, classHash, [...constructorCalldata], NO_DEPLOYER))
}

export function deployCall(classHash: Felt, constructorCalldata: readonly Felt[]): NodeCall {
  const isUnique: Felt = '0x0'
  const calldata = [classHash, SALT, isUnique, felt(BigInt(constructorCalldata.length)), ...constructorCalldata]
  return { to: UDC, selector: DEPLOY, calldata }
}

export function invocation(what: string, sender: Felt, call: Multicall): Content {
  return {
    what,
    sender,
    sign: (signer, envelope) => starknetSigning.sign('invoke', signer, envelope, executeCalldata(call)),
    wire: (envelope, signature) => invokeWire(envelope, call, signature),
  }
}

/** The address follows from it: see `accountOf`. */
export function ownDeployment(key: PublicKey, accountClass: string): AccountDeployment {
  const owner = publicKeyFelt(key)
  return { classHash: feltOf(accountClass), salt: owner, constructorCalldata: [owner] }
}

export function accountDeployment(key: PublicKey, accountClass: string): Content {
  const address = accountOf(key, accountClass)
  const deployment = ownDeployment(key, accountClass)
  return {
    what: `deploying the account ${address}`,
    sender: feltOf(address),
    sign: (signer, envelope) => starknetSigning.sign('deployAccount', signer, envelope, deployment),
    wire: (envelope, signature) => ({
      type: 'DEPLOY_ACCOUNT',
      class_hash: deployment.classHash,
      contract_address_salt: deployment.salt,
      constructor_calldata: deployment.constructorCalldata,
      ...wireFields(envelope, signature),
    }),
  }
}
