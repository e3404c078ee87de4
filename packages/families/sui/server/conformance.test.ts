/** This test runs the Sui family under the conformance suite on the local chain, for SUI and another coin, with the SDK as wallet. */
import { Transaction } from '@mysten/sui/transactions'
import type { ConformanceFixture } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { describeConformance } from '@tandem/chain-kit/testing/conformance.ts'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import { newKey } from '../local/sui.fixture.ts'
import { accountOf } from '../terms/address.ts'
import { fundingOf, sui } from './index.ts'
import { connectNode } from './nodes/connect-node.ts'
import { openTestProviders } from './nodes/provider.fixture.ts'
import { suiWays } from './strangers.fixture.ts'
import { createFamilyFixture } from './sui.fixture.ts'

const abilities = [
  'branchEvents',
  'cancel',
  'checkRecipient',
  'deployHtlc',
  'inspectProviders',
  'instantRefund',
  'legCost',
  'transfer',
] as const

describeConformance('sui SUI', { family: sui, abilities }, async () => ({
  ...(await open('sui_localnet:sui', 2_000_000_000n, 300_000_000n)),
  rebateAllowance: 20_000_000n,
}))
describeConformance('sui coin', { family: sui, abilities: [...abilities, 'payoutGas'] }, () => open('sui_localnet:usdc', 150_000n, 0n))

/** `feeAllowance` is for gas, and for the storage of new objects. */
async function open(asset: AssetId, amount: bigint, feeAllowance: bigint): Promise<ConformanceFixture> {
  const fixture = await createFamilyFixture()
  const { devnet, user, solver, chain } = fixture
  const deployed = fixture.deployedOf(asset)
  const twin = await fixture.createTwin(asset)
  const assets = [fixture.assetNamed(asset)]
  const [client, secondClient] = [fixture.connect({ assets }), fixture.connect({ assets })]
  const node = connectNode(chain, { endpoints: { rpc: [devnet.url] } })
  const otherCoin = deployed.coinType === devnet.htlcs.usdc.coinType ? devnet.htlcs.sui.coinType : devnet.htlcs.usdc.coinType
  const fundWith = async (funding: Funding) => void (await fixture.execute(user, transactionOf(funding)))

  return {
    client,
    secondClient,
    asset,
    amount,
    feeAllowance,
    timelock: 600_000n,
    termsAreUsedOnce: true,
    user: user.key,
    solver: solver.key,
    addresses: {
      good: [user.address, `0x${user.address.slice(2).toUpperCase()}`].map((text) => ({ text, canonical: user.address })),
      wrongChecksum: null,
      wrongNetwork: ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', '0:0', '0x0'],
      wrongLength: ['0x', user.address.slice(2), `${user.address}0`],
    },
    fund: fundWith,
    async underfund(terms) {
      const less = { ...terms, amount: terms.amount - 1n }
      const request = { deadline: (await client.tip()).time + 600n, payer: null, approval: 'exact' } as const
      await fundWith(await fundingOf(node, deployed, { ...request, terms: less }))
    },
    async lookAlike(terms) {
      const request = { terms, deadline: (await client.tip()).time + 600n, payer: null, approval: 'exact' } as const
      await fundWith(await fundingOf(node, twin, request))
    },
    strangers: {
      open: async () => suiWays(fixture, deployed, twin),
      sdk: { url: devnet.url, deployment: { ...fixture.assetNamed(asset).deployment, package: devnet.packageId } },
    },
    ...(deployed.coinType !== devnet.htlcs.sui.coinType && { emptyRecipient: newRecipient }),
    incapableRecipient: async () => deployed.registry,
    async mine(blocks) {
      devnet.chain.mine(blocks)
    },
    async reorg(depth, { drop }) {
      devnet.chain.faults.reorg(depth, { transactions: drop ? 'drop' : 'return', checkpoints: depth + 1 })
    },
    async expire({ timelock }) {
      // The time of a checkpoint is given in seconds.
      devnet.chain.passMs(Number(timelock) + 1000)
    },
    providers: () => openTestProviders(devnet.chain, (rpc, options) => fixture.connect({ endpoints: { rpc }, ...options }), deployed),
    replacesUnmined: false,
    deploy: {
      request: {
        chain,
        endpoints: { rpc: [devnet.url] },
        asset: fixture.assetNamed(asset),
        token: fixture.assetNamed(asset).deployment.token,
        signer: solver.key.signerFor({ kind: 'deploy', chain: chain.id, asset }),
        dryRun: true,
        onProgress: () => undefined,
      },
      wrongTokens: [
        { token: `0x${'12'.repeat(32)}::coin::COIN`, reason: /there is no metadata/ },
        { token: otherCoin, reason: /expected \d decimals, it has \d/ },
      ],
      async whileMining(run) {
        devnet.chain.setMining('instant')
        try {
          return await run()
        } finally {
          devnet.chain.setMining('manual')
        }
      },
      connect: (htlc) => {
        const known = fixture.assetNamed(asset)
        return fixture.connect({ assets: [{ ...known, deployment: { ...known.deployment, htlc } }] })
      },
    },
    async close() {
      node.close()
      await Promise.all([client.close(), secondClient.close()])
      await fixture.close()
    },
  }
}

async function newRecipient() {
  const address = accountOf(createEd25519Key(newKey()))
  return { identity: address, address }
}

function transactionOf(funding: Funding): Transaction {
  if (funding.kind !== 'programmableTransaction') throw new Error(`expected a programmable transaction, got ${funding.kind}`)
  return Transaction.fromKind(funding.bytes)
}
