/** Starts the local chain with our program and funded parties, for the tests of this family. Wallets sign with @solana/kit. */
import { randomBytes } from 'node:crypto'
import { type Address, createNoopSigner, createSolanaRpc, type Instruction, type Signature } from '@solana/kit'
import { getFreezeAccountInstruction } from '@solana-program/token'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import type { Key } from '@tandem/keys/key.ts'
import type { Asset, AssetId, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { addLocalProgram } from '../local/local-program.ts'
import { createLocalSender, type LocalSender } from '../local/local-sender.ts'
import { createLocalSigner, type LocalSigner, signTransaction } from '../local/local-signer.ts'
import { createMint, mintTokens } from '../local/local-tokens.ts'
import { type SolanaChain, startSolanaChain } from '../local/solana-chain.ts'
import { openSolanaWallet, type SolanaWallet } from '../local/wallet.ts'
import { type Contracts, createContracts } from '../terms/htlc.ts'
import { tokenAccountOf } from '../terms/instructions.ts'
import { solana } from './index.ts'

export type TestParty = {
  readonly key: Key<'ed25519'>
  readonly address: Address
  readonly signer: LocalSigner
  readonly wallet: SolanaWallet
}

export interface SolanaFixture {
  readonly local: SolanaChain
  readonly chain: Chain
  readonly program: Address
  readonly mints: { readonly usdc: Address; readonly cbbtc: Address }
  readonly assets: readonly (Asset & { readonly deployment: Deployment })[]
  readonly contracts: Contracts
  readonly user: TestParty
  readonly solver: TestParty
  readonly faucet: LocalSender
  assetNamed(id: AssetId): Asset & { readonly deployment: Deployment }
  connect(options?: Partial<ConnectOptions>): ChainClient
  send(instructions: readonly Instruction[], payer: TestParty): string
  signAndSend(transaction: string, party: TestParty): Promise<Signature>
  deployTwin(): Promise<Address>
  freeze(owner: Address): Promise<void>
  close(): Promise<void>
}

const WEALTH_LAMPORTS = 10_000_000_000_000n
const WEALTH = 10n ** 13n

export async function createSolanaFixture(): Promise<SolanaFixture> {
  const chain = localChains.find((known) => known.id === 'solana_localnet')
  if (chain === undefined) throw new Error('the local registry has no chain solana_localnet')
  const local = await startSolanaChain({
    genesisHash: chain.reference.replace(/^solana:/, ''),
    mining: 'manual',
    lags: { confirmed: 0, finalized: chain.finalityBlocks },
  })
  const { node } = local
  const faucet = createLocalSender(node, createLocalSigner(randomBytes(32)))
  await faucet.confirm(local.airdrop(faucet.address, 100n * WEALTH_LAMPORTS))
  const program = await addLocalProgram(node.svm)
  const mints = { usdc: await createMint(node, faucet, 6), cbbtc: await createMint(node, faucet, 8) }
  const [user, solver] = [party(local), party(local)]
  for (const { address } of [user, solver]) {
    local.airdrop(address, WEALTH_LAMPORTS)
    for (const mint of Object.values(mints)) await mintTokens(faucet, mint, address, WEALTH)
  }
  local.mine()
  const tokens: Readonly<Record<string, Address>> = { USDC: mints.usdc, cbBTC: mints.cbbtc }
  const assets = localAssets
    .filter((asset) => asset.chain === chain.id)
    .map((asset) => ({ ...asset, deployment: { htlc: program, token: tokens[asset.symbol] ?? null } }))
  const rpc = createSolanaRpc(local.url)
  const raw = { encoding: 'base64', skipPreflight: true } as const

  return {
    local,
    chain,
    program,
    mints,
    assets,
    contracts: createContracts(chain, assets),
    user,
    solver,
    faucet,
    assetNamed(id) {
      const found = assets.find((asset) => asset.id === id)
      if (found === undefined) throw new Error(`the fixture has no ${id}`)
      return found
    },
    connect: (options = {}) =>
      solana.connect(chain, {
        assets,
        endpoints: { rpc: [local.url], ws: [local.webSocketUrl] },
        relay: () => solver.key,
        ...options,
      }),
    send(instructions, { signer }) {
      const wire = signTransaction(instructions, [signer], { blockhash: node.ledger.tip('processed').blockhash, lastValidBlockHeight: 0 })
      node.broadcast(wire)
      return wire.signature
    },
    signAndSend: async (transaction, { wallet }) => rpc.sendTransaction(await wallet.sign(transaction), raw).send(),
    deployTwin: () => addLocalProgram(node.svm),
    async freeze(owner) {
      await faucet.confirm(await mintTokens(faucet, mints.usdc, owner, 1n))
      const account = tokenAccountOf(owner, mints.usdc)
      const freeze = getFreezeAccountInstruction({ account, mint: mints.usdc, owner: createNoopSigner(faucet.address) })
      await faucet.confirm(faucet.send([freeze]))
    },
    close: () => local.close(),
  }
}

function party({ url }: SolanaChain): TestParty {
  const seed = randomBytes(32)
  const signer = createLocalSigner(seed)
  const wallet = openSolanaWallet({ rpc_url: url, assets: {} } as never, seed.toString('hex'))
  return { key: createEd25519Key(seed.toString('hex')), address: signer.address, signer, wallet }
}
