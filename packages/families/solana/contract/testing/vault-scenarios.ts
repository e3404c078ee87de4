// Tests that an order of tokens has one vault: what an initiation names beside its terms cannot keep our own redeem or refund from paying.
import { deepEqual, equal } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type Address, getAddressDecoder, getAddressEncoder } from '@solana/kit'
import { type HtlcFixture, type TestOrder, withAccount, withData } from './order.ts'
import { accepted, pays, type Scenario } from './scenario.ts'

const vaultIndex = 1

export const vaultScenarios: readonly Scenario[] = [
  {
    name: 'whatever vault an initiation names, our own redeem and refund of it pay',
    kind: 'token',
    async play(htlc) {
      const { redeemer, initiator } = htlc.keys
      const taken: number[] = []
      for (let bump = 0; bump < 256; bump += 1) {
        const order = htlc.newOrder()
        const initiate = withAccount(htlc.initiate(order), vaultIndex, derivedVault(htlc, order, bump))
        const named = [
          withData(initiate, Uint8Array.of(...initiate.data.slice(0, -1), bump)),
          withData(initiate, Uint8Array.of(...initiate.data, bump)),
        ]
        for (const instruction of [initiate, ...named]) {
          if ((await htlc.sendSigned([instruction])).error !== null) continue
          taken.push(bump)
          if (bump % 2 === 0) await pays(htlc, order, htlc.redeem(order), redeemer.address)
          else {
            htlc.expire(order)
            await pays(htlc, order, htlc.refund(order), initiator.address)
          }
        }
      }
      deepEqual(taken, [])
    },
  },
  {
    name: 'the vault is what the order says, before and after it was settled',
    kind: 'token',
    async play(htlc) {
      const order = await htlc.open()
      equal(htlc.state(order)?.vault, order.vault)
      await accepted(htlc, htlc.redeem(order))
      equal(htlc.state(order)?.vault, order.vault)
    },
  },
]

/** A stranger can choose such an address of the program by seeds. With some bumps it has a key. */
function derivedVault({ program }: HtlcFixture, { address }: TestOrder, bump: number): Address {
  const bytes = getAddressEncoder()
  const hash = createHash('sha256')
    .update('vault')
    .update(Uint8Array.from(bytes.encode(address)))
    .update(Uint8Array.of(bump))
  return getAddressDecoder().decode(
    hash
      .update(Uint8Array.from(bytes.encode(program)))
      .update('ProgramDerivedAddress')
      .digest(),
  )
}
