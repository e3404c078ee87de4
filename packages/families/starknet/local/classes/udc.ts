// Re-implements the Universal Deployer Contract, old and new, in TypeScript. The simulator runs no Cairo.

import { selectorOf, shortString } from '../felt.ts'
import { pedersen } from '../hashes.ts'
import type { ContractClass, EntryPoint } from './contract-class.ts'
import { abiTypes, simpleAbi } from './simple-abi.ts'

const { address, bool, classHash, felt, felts } = abiTypes

const deployContract: EntryPoint = (env, calldata) => {
  const [deployed, salt, isUnique, constructorCalldata] = [calldata.felt(), calldata.felt(), calldata.bool(), calldata.felts()]
  calldata.end()
  // A unique address depends on the caller, so nobody else can deploy to it.
  const [usedSalt, deployer] = isUnique ? [pedersen(env.caller, salt), env.address] : [salt, 0n]
  const at = env.deploy(deployed, usedSalt, constructorCalldata, deployer)
  const data = [at, env.caller, isUnique ? 1n : 0n, deployed, BigInt(constructorCalldata.length), ...constructorCalldata, salt]
  env.emit([selectorOf('ContractDeployed')], data)
  return [at]
}

const inputs = { class_hash: classHash, salt: felt, not_from_zero: bool, calldata: felts }

export const udcClass: ContractClass = {
  name: 'UDC',
  classHash: shortString('simulated UDC'),
  entryPoints: { deploy_contract: deployContract, deployContract },
  abi: simpleAbi(
    {},
    [
      { name: 'deploy_contract', inputs, output: address, changes: true },
      { name: 'deployContract', inputs, output: address, changes: true },
    ],
    [
      {
        name: 'ContractDeployed',
        data: { address, deployer: address, not_from_zero: bool, class_hash: classHash, calldata: felts, salt: felt },
      },
    ],
  ),
}

/** The UDC has these addresses on every Starknet network: the newest one, and the one of Cairo 0. */
export const UDC_ADDRESSES = [
  0x02ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125n,
  0x041a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bfn,
] as const
