// Reads the hashes, transaction kinds and events that the client, the Move module and simulators must agree on.
import type { Deployment } from '../client/calls.ts'
import type { OrderTerms } from '../client/order.ts'
import vectors from './vectors.json' with { type: 'json' }

export type Vector = (typeof vectors.orders)[number]

export const { orders } = vectors

/** Tests of Move create this registry, so that the module itself can be called. */
export const deployment: Deployment = vectors.deployment

export const termsOf = ({ initiator, redeemer, timelock, amount, secretHash }: Vector): OrderTerms => ({
  initiator,
  redeemer,
  timelock: BigInt(timelock),
  amount: BigInt(amount),
  secretHash,
})

export function vectorTests(): string {
  const tests = orders.map((vector, index) => {
    const { initiator, redeemer, timelock, amount, secret, secretHash, orderId, refundDigest, publicKey, signature } = vector
    return `
#[test]
fun vector_${index}() {
    assert!(sha2_256(x"${secret}") == x"${secretHash}", 1001);
    assert!(ed25519_verify(&x"${signature}", &x"${publicKey}", &x"${refundDigest}"), 1002);
    let mut world = player::begin(@${deployment.registry});
    world.expect_order_id(@${initiator}, @${redeemer}, x"${secretHash}", ${amount}, ${timelock}, x"${orderId}");
    world.expect_digest(x"${orderId}", x"${refundDigest}");
    world.end();
}
`
  })
  const uses = ['std::hash::sha2_256', 'sui::ed25519::ed25519_verify', 'tandem_htlc::htlc_player as player']
  return `#[test_only]\nmodule tandem_htlc::vectors;\n\n${uses.map((use) => `use ${use};\n`).join('')}${tests.join('')}`
}
