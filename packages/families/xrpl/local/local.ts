/** Runs the simulator of the XRP Ledger in the local stack. Escrows are part of the ledger, so nothing is deployed. */
import type { LocalFamily } from '@tandem/chain-kit/local/local-chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { isValidClassicAddress, isValidXAddress, xAddressToClassicAddress } from 'xrpl'
import { localKey } from './account-keys.ts'
import { createLocalSender } from './local-sender.ts'
import { openXrplWallet, type XrplWallet } from './wallet.ts'
import { startXrplChain, type XrplChain } from './xrpl-chain.ts'

const XRP = 1_000_000n

export const xrplLocal: LocalFamily<XrplChain, XrplWallet> = {
  name: 'xrpl',
  prices: { XRP: '2' },
  balances: () => ({ solver: 100_000n * XRP, solverPayments: 1, user: 20_000n * XRP, relay: 1_000n * XRP }),
  async start({ id, reference, nativeAsset }, { faucetKey, mining }) {
    const control = await startXrplChain({
      masterAccount: localKey(faucetKey).address,
      networkId: Number(reference.replace(/^xrpl:/, '')),
      mining,
    })
    const faucet = createLocalSender(control.node, faucetKey)

    /** A payment to an X-address has its tag. */
    function recipient(text: string): { readonly Destination: string; readonly DestinationTag?: number } {
      if (isValidClassicAddress(text)) return { Destination: text }
      if (!isValidXAddress(text)) throw new TandemError('invalid_address', `"${text}" is not an account on ${id}`)
      const { classicAddress: Destination, tag, test } = xAddressToClassicAddress(text)
      if (!test) throw new TandemError('invalid_address', `"${text}" is an account of the main network`)
      return { Destination, ...(tag !== false && { DestinationTag: tag }) }
    }

    return {
      control,
      endpoints: { ws: control.url },
      deployments: { [nativeAsset]: { htlc: null, token: null } },
      details: { ws_url: control.url, rpc_url: control.url.replace(/^ws/, 'http'), network_id: control.networkId },
      fund: async (_asset, address, amount) =>
        faucet.confirm({ TransactionType: 'Payment', ...recipient(address), Amount: String(amount) }),
      close: () => control.close(),
    }
  },
  openWallet: openXrplWallet,
}
