/** This test runs the Solana family under the conformance suite on the local chain, for SOL and for a token. */
import { AccountRole, type Address, createNoopSigner, type Instruction } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import type { ConformanceFixture } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { describeConformance } from '@tandem/chain-kit/testing/conformance.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { initiateSol, initiateToken } from '../contract/client/instructions.ts'
import { tokenProgram } from '../contract/client/programs.ts'
import { type HtlcContract, orderTermsOf } from '../terms/htlc.ts'
import { tokenAccountOf } from '../terms/instructions.ts'
import { depositsOf } from './deposits.fixture.ts'
import { solana } from './index.ts'
import { openTestProviders, randomAddress, startTestProvider } from './nodes/provider.fixture.ts'
import { createSolanaFixture, type SolanaFixture } from './solana.fixture.ts'
import { solanaWays } from './strangers.fixture.ts'

const abilities = [
  'branchEvents',
  'cancel',
  'checkRecipient',
  'deployHtlc',
  'depositAddress',
  'finalHeight',
  'gasless',
  'inspectProviders',
  'instantRefund',
  'legCost',
  'newBlocks',
  'rent',
  'transfer',
] as const

const SLOTS_PER_SECOND = 2.5
const timelock = 400n
/** A user's order of tokens has two accounts; SOL pays for both, and for the fees. */
const RENT_AND_FEES = 5_000_000n

describeConformance('solana SOL', { family: solana, abilities }, () =>
  open('solana_localnet:sol', { amount: 1_000_000_000n, feeAllowance: RENT_AND_FEES, unpayable: async () => tokenProgram }),
)

describeConformance('solana token', { family: solana, abilities: [...abilities, 'payoutGas'] }, () =>
  open('solana_localnet:usdc', {
    amount: 150_000n,
    feeAllowance: 0n,
    async unpayable({ freeze }) {
      const frozen = randomAddress()
      await freeze(frozen)
      return frozen
    },
  }),
)

type Case = {
  readonly amount: bigint
  readonly feeAllowance: bigint
  readonly unpayable: (fixture: SolanaFixture) => Promise<string>
}

async function open(asset: AssetId, { amount, feeAllowance, unpayable }: Case): Promise<ConformanceFixture> {
  const fixture = await createSolanaFixture()
  const { local, user, solver } = fixture
  const contract = fixture.contracts.of(asset)
  const twin = await fixture.deployTwin()
  const counted = await startTestProvider(local)
  const assets = [fixture.assetNamed(asset)]
  const client = fixture.connect({ assets, endpoints: { rpc: [counted.url], ws: [local.webSocketUrl] } })
  const secondClient = fixture.connect({ assets })
  const deadline = async () => (await client.tip()).time + 60n

  return {
    client,
    secondClient,
    asset,
    amount,
    feeAllowance,
    timelock,
    termsAreUsedOnce: true,
    user: user.key,
    solver: solver.key,
    addresses: {
      good: [{ text: user.address, canonical: user.address }],
      wrongChecksum: null,
      wrongNetwork: [
        '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
        'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
        '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
        'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
        'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
      ],
      wrongLength: ['', '1', user.address.slice(0, 30), `${user.address}${user.address}`, '1'.repeat(32), '1'.repeat(33)],
    },
    fund: async (funding) => void (await fixture.signAndSend(transactionOf(funding), user)),
    async underfund(terms) {
      const less = initiate(contract, { ...terms, amount: terms.amount - 1n }, user.address, await deadline())
      fixture.send([less], user)
    },
    async lookAlike(terms) {
      const genuine = initiate(contract, terms, user.address, await deadline())
      fixture.send([initiate({ ...contract, program: twin }, terms, user.address, await deadline())], user)
      fixture.send([mimic(genuine, user.address)], user)
    },
    strangers: {
      open: () => solanaWays(fixture, contract),
      sdk: { url: local.url, deployment: { htlc: contract.program, token: contract.mint } },
    },
    depositAddress: await depositsOf(fixture, contract, counted),
    unpayableRedeemer: () => unpayable(fixture),
    ...(contract.mint !== null && { gasless: { sign: (funding: Funding) => user.wallet.sign(gaslessOf(funding)) } }),
    ...(contract.mint !== null && { emptyRecipient: newRecipient }),
    incapableRecipient: async () => tokenAccountOf(user.address, fixture.mints.usdc),
    mine: async (blocks) => local.mine(blocks),
    skip: () => local.skip(),
    reorg: async (depth, { drop }) => local.faults.reorg(depth, { transactions: drop ? 'drop' : 'return', remine: false }),
    expire: async (terms) => local.passTime(Number(terms.timelock)),
    passTime: async (time) => local.passTime(Math.ceil(Number(time - (await client.tip()).time + 1n) * SLOTS_PER_SECOND)),
    providers: () =>
      openTestProviders(
        local,
        (rpc, options) => fixture.connect({ endpoints: { rpc }, ...options }),
        () => contract,
      ),
    replacesUnmined: false,
    deploy: {
      request: {
        chain: fixture.chain,
        endpoints: { rpc: [local.url] },
        asset: fixture.assetNamed(asset),
        token: contract.mint,
        signer: solver.key.signerFor({ kind: 'deploy', chain: fixture.chain.id, asset }),
        dryRun: true,
        onProgress: () => undefined,
      },
      wrongTokens: [
        { token: randomAddress(), reason: /there is no account/ },
        { token: fixture.mints.cbbtc, reason: /expected \d decimals, it has 8/ },
      ],
      async whileMining(run) {
        local.setMining('instant')
        try {
          return await run()
        } finally {
          local.setMining('manual')
        }
      },
      connect: (htlc) => fixture.connect({ assets: [{ ...fixture.assetNamed(asset), deployment: { htlc, token: contract.mint } }] }),
    },
    async close() {
      await Promise.all([client.close(), secondClient.close(), counted.close()])
      await fixture.close()
    },
  }
}

async function newRecipient() {
  const address = randomAddress()
  return { identity: address, address }
}

function initiate(contract: HtlcContract, terms: HtlcTerms, funder: Address, initiateBefore: bigint): Instruction {
  const { mint, ...order } = orderTermsOf(contract, terms)
  const by = { funder, rentPayer: funder, initiateBefore }
  if (mint === null) return initiateSol(contract.program, { ...order, mint }, by)
  return initiateToken(contract.program, { ...order, mint }, { ...by, funderTokens: tokenAccountOf(funder, mint) })
}

/** The transaction names our program and the order, as ours do, but calls another program. */
function mimic({ programAddress, accounts = [] }: Instruction, payer: Address): Instruction {
  const transfer = getTransferSolInstruction({ source: createNoopSigner(payer), destination: payer, amount: 1n })
  const named = [programAddress, ...accounts.map(({ address }) => address)]
  const ignored = named.map((address) => ({ address, role: AccountRole.READONLY }))
  return { programAddress: transfer.programAddress, accounts: [...transfer.accounts, ...ignored], data: transfer.data }
}

function transactionOf(funding: Funding): string {
  if (funding.kind !== 'versionedTransaction') throw new Error(`expected a transaction, got ${funding.kind}`)
  return funding.transaction
}

function gaslessOf(funding: Funding): string {
  if (funding.kind !== 'versionedTransaction' || funding.gasless === null) throw new Error('there is nothing to sign')
  return funding.gasless
}
