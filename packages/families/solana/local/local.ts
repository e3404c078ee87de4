/** Starts the local Solana chain, with its tokens and our program deployed. */
import { isAddress } from '@solana/kit'
import { accountBalances, type LocalFamily } from '@tandem/chain-kit/local/local-chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { addLocalProgram } from './local-program.ts'
import { createLocalSender } from './local-sender.ts'
import { createLocalSigner } from './local-signer.ts'
import { createMint, mintTokens } from './local-tokens.ts'
import { type SolanaChain, startSolanaChain } from './solana-chain.ts'
import { openSolanaWallet, type SolanaWallet } from './wallet.ts'

const FAUCET_BALANCE = 1_000_000_000_000_000n

export const solanaLocal: LocalFamily<SolanaChain, SolanaWallet> = {
  name: 'solana',
  prices: { SOL: '200', USDC: '1', cbBTC: '100000' },
  balances: accountBalances,
  async start({ id, reference }, { faucetKey, mining }) {
    const control = await startSolanaChain({ genesisHash: reference.replace(/^solana:/, ''), mining })
    const { node } = control
    const faucet = createLocalSender(node, createLocalSigner(Buffer.from(faucetKey.slice(2), 'hex')))
    await faucet.confirm(control.airdrop(faucet.address, FAUCET_BALANCE))
    const program = await addLocalProgram(node.svm)
    const mints = { usdc: await createMint(node, faucet, 6), cbbtc: await createMint(node, faucet, 8) }
    return {
      control,
      endpoints: { rpc: control.url, ws: control.webSocketUrl },
      deployments: {
        [`${id}:sol`]: { htlc: program, token: null },
        [`${id}:usdc`]: { htlc: program, token: mints.usdc },
        [`${id}:cbbtc`]: { htlc: program, token: mints.cbbtc },
      },
      givesGas: true,
      details: { rpc_url: control.url, ws_url: control.webSocketUrl },
      async fund(asset, address, amount) {
        if (!isAddress(address)) throw new TandemError('invalid_address', `"${address}" is not an account on ${id}`)
        const mint = asset.symbol === 'USDC' ? mints.usdc : mints.cbbtc
        const signature = asset.tokenSchema === null ? control.airdrop(address, amount) : await mintTokens(faucet, mint, address, amount)
        await faucet.confirm(signature)
        return signature
      },
      close: () => control.close(),
    }
  },
  openWallet: openSolanaWallet,
}
