/** Makes a wallet of a private key on EVM chains. */

import type { KeyWallet, KeyWalletOptions } from '@tandem/chain-kit/browser/key-wallet-options.ts'
import { createPublicClient, createWalletClient, erc20Abi, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { viemWallet } from './wallet.ts'

export function evmKeyWallet({ privateKey, node, token }: KeyWalletOptions): KeyWallet {
  const account = privateKeyToAccount(`0x${privateKey.replace(/^0x/, '')}`)
  const transport = http(node)
  const chain = createPublicClient({ transport })
  return {
    wallet: viemWallet(createWalletClient({ account, transport })),
    address: account.address,
    balance: () =>
      token === null
        ? chain.getBalance(account)
        : chain.readContract({ address: token as `0x${string}`, abi: erc20Abi, functionName: 'balanceOf', args: [account.address] }),
  }
}
