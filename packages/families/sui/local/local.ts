/** Starts the Sui simulator of the local stack, with SUI, USDC and our HTLC deployed. */
import { isValidSuiAddress, normalizeSuiAddress } from '@mysten/sui/utils'
import { accountBalances, type LocalFamily } from '@tandem/chain-kit/local/local-chain.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { keypairOf } from './account-keys.ts'
import { USDC_TYPE } from './chain/genesis.ts'
import { deployLocalContracts } from './local-contracts.ts'
import { createLocalSender } from './local-sender.ts'
import { SUI_TYPE } from './objects/types.ts'
import { payCoins } from './pay-coins.ts'
import { type SuiChain, startSuiChain } from './sui-chain.ts'
import { openSuiWallet, type SuiWallet } from './wallet.ts'

/** These are 1,000 SUI. */
const GAS_MIST = 1_000n * 10n ** 9n

export const suiLocal: LocalFamily<SuiChain, SuiWallet> = {
  name: 'sui',
  prices: { SUI: '4', USDC: '1' },
  balances: accountBalances,
  async start({ id }, { faucetKey, mining }) {
    const keypair = keypairOf(faucetKey)
    const control = await startSuiChain({ owners: [keypair.toSuiAddress()], mining })
    const faucet = createLocalSender(control.node, keypair)
    const { packageId, sui, usdc } = await deployLocalContracts(faucet)

    async function pay(coinType: string, text: string, amount: bigint): Promise<string> {
      const address = normalizeSuiAddress(text)
      if (!isValidSuiAddress(address) || BigInt(address) === 0n)
        throw new TandemError('invalid_address', `"${text}" is not an account on ${id}`)
      return payCoins(faucet, coinType, address, [amount])
    }

    const coinTypeOf = ({ tokenSchema }: Asset) => (tokenSchema === null ? SUI_TYPE : USDC_TYPE)

    return {
      control,
      endpoints: { rpc: control.url },
      deployments: { [`${id}:sui`]: { htlc: sui.id, token: null }, [`${id}:usdc`]: { htlc: usdc.id, token: USDC_TYPE } },
      givesGas: true,
      details: { chain_id: control.node.chainId, rpc_url: control.url, package_id: packageId },
      fund: (asset, address, amount) => pay(coinTypeOf(asset), address, amount),
      async fundGas(address) {
        await pay(SUI_TYPE, address, GAS_MIST)
      },
      close: () => control.close(),
    }
  },
  openWallet: openSuiWallet,
}
