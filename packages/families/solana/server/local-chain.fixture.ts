/** Starts a local chain with the program, a mint and funded parties, without the client, for tests of single parts. */
import { createHash, randomBytes } from 'node:crypto'
import { type Address, address, lamports, some } from '@solana/kit'
import { AccountState, getMintEncoder, getTokenEncoder } from '@solana-program/token'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, type Hex32, hashSecret } from '@tandem/protocol/secret.ts'
import { htlcProgram } from '../contract/artifacts/htlc.ts'
import { tokenProgram } from '../contract/client/programs.ts'
import { type SolanaChain, startSolanaChain } from '../local/solana-chain.ts'
import { accountOf } from '../terms/address.ts'
import type { Contracts, HtlcContract } from '../terms/htlc.ts'
import { tokenAccountOf } from '../terms/instructions.ts'
import type { SolanaNode } from './nodes/node.ts'
import { createProviderNode } from './nodes/provider-node.ts'

const SOL = 1_000_000_000n
const TOKENS = 1_000_000_000n
const FINALITY = 31
export const LIFETIME = 150

export type TestParty = ReturnType<typeof createParty>

function createParty(name: string) {
  const key = createEd25519Key(createHash('sha256').update(name).digest('hex'))
  return { key, address: accountOf(key), outbox: createMemoryOutbox(key) }
}

export type TestSwap = { readonly terms: HtlcTerms; readonly secret: Hex32; readonly deadline: bigint }

export type LocalFixture = Awaited<ReturnType<typeof startLocalFixture>>

export async function startLocalFixture() {
  const chain: SolanaChain = await startSolanaChain({ mining: 'manual', lags: { confirmed: 0, finalized: FINALITY } })
  const node: SolanaNode = createProviderNode(chain.url, 10_000)
  const [user, solver, relay, stranger] = ['user', 'solver', 'relay', 'stranger'].map(createParty) as [
    TestParty,
    TestParty,
    TestParty,
    TestParty,
  ]
  const program = createParty('program').address
  const mint = createParty('mint').address
  const sol: HtlcContract = { asset: 'solana_localnet:sol', program, mint: null, decimals: 9 }
  const token: HtlcContract = { asset: 'solana_localnet:usdc', program, mint, decimals: 6 }
  const contracts: Contracts = { all: [sol, token], of: (asset) => (asset === sol.asset ? sol : token) }

  function put(at: Address, programAddress: Address, data: Uint8Array, over: { executable?: boolean; balance?: bigint } = {}): void {
    const balance = over.balance ?? chain.node.svm.rent(data.length)
    const space = BigInt(data.length)
    chain.node.svm.setAccount(at, {
      address: at,
      data,
      executable: over.executable ?? false,
      lamports: lamports(balance),
      programAddress,
      space,
    })
  }
  const putMint = (owner = tokenProgram) => {
    const authority = some(stranger.address)
    const fields = { mintAuthority: authority, supply: 10n ** 15n, decimals: 6, isInitialized: true, freezeAuthority: authority }
    put(mint, owner, Uint8Array.from(getMintEncoder().encode(fields)))
  }
  async function putTokens(owner: Address, amount = TOKENS, state = AccountState.Initialized, tokenOwner = owner): Promise<Address> {
    const at = tokenAccountOf(owner, mint)
    const fields = {
      mint,
      owner: tokenOwner,
      amount,
      delegate: null,
      state,
      isNative: null,
      delegatedAmount: 0n,
      closeAuthority: null,
    }
    put(at, tokenProgram, Uint8Array.from(getTokenEncoder().encode(fields)))
    return at
  }

  put(program, address('BPFLoader2111111111111111111111111111111111'), Buffer.from(htlcProgram.base64, 'base64'), { executable: true })
  putMint()
  const systemProgram = address('11111111111111111111111111111111')
  for (const { address: owner } of [user, solver, relay]) {
    put(owner, systemProgram, new Uint8Array(0), { balance: 100n * SOL })
    await putTokens(owner)
  }
  chain.mine(2)

  return {
    chain,
    node,
    user,
    solver,
    relay,
    stranger,
    mint,
    sol,
    token,
    contracts,
    put,
    putMint,
    putTokens,
    tokensOf: async (owner: Address) => node.tokenBalance(tokenAccountOf(owner, mint)),
    setLamports: (owner: Address, balance: bigint) => put(owner, systemProgram, new Uint8Array(0), { balance }),
    mine: (blocks = 1) => chain.mine(blocks),
    /** No transaction that was signed before can be mined after this, and the newest block is far enough for finality. */
    passLifetime: () => chain.mine(LIFETIME + FINALITY + 2),
    async swap(contract: HtlcContract, over: Partial<HtlcTerms> = {}): Promise<TestSwap> {
      const secret = createSecret()
      const tip = await node.block('latest')
      const terms: HtlcTerms = {
        asset: contract.asset,
        initiator: solver.address,
        redeemer: user.address,
        amount: 5_000_000n,
        timelock: 1_000n,
        secretHash: hashSecret(secret),
        ...over,
      }
      return { terms, secret, deadline: (tip?.time ?? 0n) + 3_600n }
    },
    newAddress: () => createParty(randomBytes(8).toString('hex')).address,
    close: async () => {
      node.close()
      await chain.close()
    },
  }
}
