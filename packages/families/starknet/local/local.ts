/** Starts the Starknet simulator of the local stack, with STRK, WBTC and our HTLC deployed. */
import { accountBalances, type LocalFamily } from '@tandem/chain-kit/local/local-chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { accountOfKey } from './account-keys.ts'
import { STRK_ADDRESS } from './chain/genesis.ts'
import { ADDRESS_BOUND, feltOf, paddedHex } from './felt.ts'
import { deployLocalContracts, transferCall } from './local-contracts.ts'
import { createLocalSender } from './local-sender.ts'
import { type StarknetChain, startStarknetChain } from './starknet-chain.ts'
import { openStarknetWallet, type StarknetWallet } from './wallet.ts'

/** These are 1,000 STRK. */
const GAS_FRI = 1_000n * 10n ** 18n

export const starknetLocal: LocalFamily<StarknetChain, StarknetWallet> = {
  name: 'starknet',
  prices: { STRK: '0.15', WBTC: '100000' },
  balances: accountBalances,
  async start({ id, reference }, { faucetKey, mining }) {
    const control = await startStarknetChain({ chainId: reference.replace(/^starknet:/, ''), keys: [faucetKey], mining })
    const faucet = createLocalSender(control.node, faucetKey)
    const { wbtc, htlc } = deployLocalContracts(faucet)

    function pay(token: bigint, text: string, amount: bigint): string {
      const address = feltOf(text)
      if (address === null || address < 2n || address >= ADDRESS_BOUND)
        throw new TandemError('invalid_address', `"${text}" is not an account on ${id}`)
      return faucet.execute([transferCall(token, address, amount)])
    }

    return {
      control,
      endpoints: { rpc: control.url, ws: control.webSocketUrl },
      deployments: { [`${id}:wbtc`]: { htlc: paddedHex(htlc), token: paddedHex(wbtc) } },
      givesGas: true,
      details: { chain_id: control.chainId, rpc_url: control.url, fee_token: paddedHex(STRK_ADDRESS) },
      fund: async (_asset, address, amount) => pay(wbtc, address, amount),
      fundCoin: async (address, amount) => pay(STRK_ADDRESS, address, amount),
      async fundGas(address) {
        pay(STRK_ADDRESS, address, GAS_FRI)
      },
      async openAccount(privateKey) {
        pay(STRK_ADDRESS, paddedHex(accountOfKey(privateKey).address), GAS_FRI)
        createLocalSender(control.node, privateKey).deploy()
      },
      close: () => control.close(),
    }
  },
  openWallet: openStarknetWallet,
}
