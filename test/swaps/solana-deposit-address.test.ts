/** Users pay from an exchange: plain transfers of a token and of SOL to the deposit addresses of Solana orders. */
import { randomBytes } from 'node:crypto'
import { type Address, address, createSolanaRpc } from '@solana/kit'
import { solanaLocal } from '@tandem/solana/local/local.ts'
import { createLocalSigner } from '@tandem/solana/local/local-signer.ts'
import { expect } from 'vitest'
import { tellStory } from './story.ts'
import { type Deposited, tellOfDeposit, tellOfReturns } from './tell-of-deposit-address.ts'

const [CHAIN, OTHER] = ['solana_localnet', 'arbitrum_localnet']
const [USDC, SOL] = [`${CHAIN}:usdc`, `${CHAIN}:sol`]
const LEAST = 890_880n

const story = await tellStory(CHAIN, OTHER)
const chain = story.stack.network.control(CHAIN, solanaLocal)
const rpc = createSolanaRpc(chain.url)

/** The faucet of the local stack is no party of any order. */
async function pay(asset: string, to: string, amount: bigint): Promise<void> {
  const body = JSON.stringify({ asset, address: to, amount: amount.toString() })
  const { status } = await fetch(story.info.faucet_url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  expect(status).toBe(200)
}

async function tokensOf(owner: Address): Promise<bigint> {
  const mint = address(story.contractsOf(USDC).token)
  const { value } = await rpc.getTokenAccountsByOwner(owner, { mint }, { commitment: 'confirmed', encoding: 'jsonParsed' }).send()
  return value.reduce((sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount), 0n)
}

/** An owner needs an account for the tokens, as one who has ever held them has. The first unit made it. */
async function freshOwner(): Promise<Address> {
  const owner = createLocalSigner(randomBytes(32)).address
  await pay(USDC, owner, 1n)
  return owner
}
/** The deadline is an hour later, and a slot takes 400 ms. */
const passDeadline = async () => chain.passTime(9_500)

const dollars: Deposited = {
  asset: USDC,
  destination: `${OTHER}:usdc`,
  amount: 60_000_000n,
  freshOwner,
  pay: (to, amount) => pay(USDC, to, amount),
  balanceOf: async (owner) => (await tokensOf(owner as Address)) - 1n,
}
/** An account of the chain holds at least its rent, so an owner has it before. */
const sol: Deposited = {
  asset: SOL,
  destination: `${OTHER}:usdc`,
  amount: 1_000_000_000n,
  async freshOwner() {
    const owner = createLocalSigner(randomBytes(32)).address
    await pay(SOL, owner, LEAST)
    return owner
  },
  pay: (to, amount) => pay(SOL, to, amount),
  balanceOf: async (owner) => (await rpc.getBalance(owner as Address, { commitment: 'confirmed' }).send()).value - LEAST,
}

for (const deposited of [dollars, sol]) tellOfDeposit(story, deposited)
tellOfReturns(story, [dollars, sol], passDeadline)
