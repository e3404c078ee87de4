// Deploys the tokens and HTLCs of the local chain, through the UDC.
import { erc20Class } from './classes/erc20.ts'
import { htlcClass } from './classes/htlc.ts'
import { UDC_ADDRESSES } from './classes/udc.ts'
import { type Felts, selectorOf, shortString, u256Felts } from './felt.ts'
import { addressFrom } from './hashes.ts'
import type { LocalSender } from './local-sender.ts'
import type { RawCall } from './transactions/invoke.ts'

export type LocalContracts = { readonly wbtc: bigint; readonly htlc: bigint }

const WBTC_DECIMALS = 8n
const WBTC_SUPPLY = 10n ** 20n

/** The deployer owns the supply of the token. */
export function deployLocalContracts(deployer: LocalSender): LocalContracts {
  const wbtcCalldata = [shortString('Wrapped Bitcoin'), shortString('WBTC'), WBTC_DECIMALS, ...u256Felts(WBTC_SUPPLY), deployer.address]
  const wbtc = addressFrom(erc20Class.classHash, 0n, wbtcCalldata)
  const htlc = addressFrom(htlcClass.classHash, 0n, [wbtc])
  deployer.execute([deployment(erc20Class.classHash, wbtcCalldata), deployment(htlcClass.classHash, [wbtc])])
  return { wbtc, htlc }
}

function deployment(classHash: bigint, constructorCalldata: Felts): RawCall {
  const calldata = [classHash, 0n, 0n, BigInt(constructorCalldata.length), ...constructorCalldata]
  return { to: UDC_ADDRESSES[0], selector: selectorOf('deploy_contract'), calldata }
}

export function transferCall(token: bigint, recipient: bigint, amount: bigint): RawCall {
  return { to: token, selector: selectorOf('transfer'), calldata: [recipient, ...u256Felts(amount)] }
}
