/** Starts the Tron simulator, with its tokens and HTLCs deployed. */
import { accountBalances, type LocalFamily } from '@tandem/chain-kit/local/local-chain.ts'
import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import { numberOf } from '@tandem/evm/local/local.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { TronWeb } from 'tronweb'
import { encodeFunctionData } from 'viem'
import { deployLocalTronContracts } from './local-tron-contracts.ts'
import { startTronChain, type TronChain } from './tron-chain.ts'
import { createTronSender } from './tron-sender.ts'
import { evmAddress } from './tron-transaction.ts'
import { openTronWallet, type TronWallet } from './wallet.ts'

/** The unit is sun; a swap costs a few TRX. */
const GAS_SUN = 100_000_000_000n

export const tronLocal: LocalFamily<TronChain, TronWallet> = {
  name: 'tron',
  prices: { TRX: '0.25', USDT: '1', WBTC: '100000' },
  balances: accountBalances,
  async start(chain, { faucetKey }) {
    const { id } = chain
    const control = await startTronChain({ chainId: numberOf(chain), keys: [faucetKey], mining: { kind: 'manual' } })
    const faucet = createTronSender(control, faucetKey)
    const { tokens, htlcs } = await deployLocalTronContracts(faucet)
    control.setMining({ kind: 'instant' })
    const account = (address: string): string => {
      if (!TronWeb.isAddress(address)) throw new TandemError('invalid_address', `"${address}" is not an account on ${id}`)
      return address
    }
    return {
      control,
      endpoints: { rpc: control.url },
      deployments: {
        [`${id}:usdt`]: { htlc: htlcs.usdt, token: tokens.usdt },
        [`${id}:wbtc`]: { htlc: htlcs.wbtc, token: tokens.wbtc },
      },
      givesGas: true,
      details: { chain_id: control.chainId, rpc_url: control.url },
      async fund(asset, address, amount) {
        const data = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [evmAddress(account(address)), amount] })
        return faucet.call(asset.symbol === 'WBTC' ? tokens.wbtc : tokens.usdt, data)
      },
      fundCoin: async (address, amount) => faucet.transfer(account(address), amount),
      async fundGas(address) {
        await faucet.transfer(account(address), GAS_SUN)
      },
      close: () => control.close(),
    }
  },
  openWallet: openTronWallet,
}
