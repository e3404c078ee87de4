/** Builds the code that creates an HTLC. Its CREATE2 address follows from it, so anyone can compute where the HTLC of a token is. */
import { type Address, encodeDeployData, type Hex } from 'viem'
import { htlcErc20 } from '../../contract/artifacts/htlc-erc20.ts'
import { htlcNative } from '../../contract/artifacts/htlc-native.ts'

export function htlcInitCode(token: Address | null): Hex {
  return token === null
    ? encodeDeployData({ abi: htlcNative.abi, bytecode: htlcNative.bytecode })
    : encodeDeployData({ abi: htlcErc20.abi, bytecode: htlcErc20.bytecode, args: [token] })
}
