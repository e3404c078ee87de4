/** Makes a deposit and a refund package on any chain of the family, for tests of rescues. */
import { randomBytes } from 'node:crypto'
import type { RefundPackage, RescueNode } from '@tandem/chain-kit/port/abilities/rescue.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { expect } from 'vitest'
import type { Endpoints, TestChain } from '../bitcoin.fixture.ts'
import { bitcoin } from '../index.ts'
import { connectRescueNode, rescue } from './rescue.ts'

const FEE_RATE = 2_000n

export type Rescued = {
  readonly client: ChainClient
  readonly terms: HtlcTerms
  readonly key: string
  readonly refundPackage: RefundPackage
}

export function prepareRescue(chain: Chain, endpoints: Endpoints, { timelock = 12n, clientKey = false } = {}): Rescued {
  const client = bitcoin.connect(chain, { assets: [], endpoints })
  const key = randomBytes(32).toString('hex')
  const signer = createSecp256k1Key(key)
  const terms: HtlcTerms = {
    asset: chain.nativeAsset,
    initiator: client.identityOf(signer),
    redeemer: client.identityOf(createSecp256k1Key(randomBytes(32).toString('hex'))),
    amount: 500_000n,
    secretHash: hashSecret(createSecret()),
    timelock,
  }
  const refundPackage = client.orderKeys?.refundPackage(terms, clientKey ? null : key, client.addressOf(signer))
  if (refundPackage === undefined) throw new Error('the client made no refund package')
  return { client, terms, key, refundPackage: JSON.parse(JSON.stringify(refundPackage)) }
}

export async function rescueTwoDeposits(chain: Chain, node: TestChain, endpoints: Endpoints): Promise<void> {
  const { client, terms, refundPackage } = prepareRescue(chain, endpoints)
  const rescueNode: RescueNode = connectRescueNode(refundPackage, endpoints)
  const address = client.swapId(terms)
  expect(await rescueNode.deposits()).toEqual([])
  await node.pay(address, 300_000n)
  await node.mine(1)
  await node.pay(address, 200_000n)
  await node.mine(1)
  const left = async () => new Map((await rescueNode.deposits()).map(({ amount, unitsLeft }) => [amount, unitsLeft]))
  expect(await left()).toEqual(
    new Map([
      [300_000n, terms.timelock - 2n],
      [200_000n, terms.timelock - 1n],
    ]),
  )

  await node.mine(Number(terms.timelock) - 2)
  const deposits = await rescueNode.deposits()
  const refund = rescue(refundPackage, { deposits, to: null, feeRate: FEE_RATE, privateKey: null })
  await expect(rescueNode.broadcast(refund.transaction)).rejects.toMatchObject({
    name: 'ChainFailure',
    message: expect.stringMatching(/refused the refund: .*non-BIP68-final/),
  })
  await node.mine(1)
  expect(await left()).toEqual(
    new Map([
      [300_000n, -1n],
      [200_000n, 0n],
    ]),
  )
  await rescueNode.broadcast(refund.transaction)
  await node.mine(1)
  expect(await rescueNode.deposits()).toEqual([])
  const to = String(refundPackage.refund_address)
  expect(refund).toMatchObject({ to, deposits: deposits.map(({ id }) => id), pays: 500_000n - refund.fee, timelock: terms.timelock })
  expect(await client.balance(chain.nativeAsset, to)).toBe(refund.pays)
  await rescueNode.close()
  await client.close()
}
