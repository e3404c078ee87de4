// Reads the hashes, calldata and events that the client, the Cairo contract and simulators must agree on.
import { felt, shortString } from '../client/felt.ts'
import { type Deployment, type OrderTerms, wordsOf } from '../client/order.ts'
import type { CairoTestSource } from './cairo-tests.ts'
import vectors from './vectors.json' with { type: 'json' }

export type Vector = (typeof vectors)[number]

export { vectors }

export const deploymentOf = ({ chainId, address }: Vector): Deployment => ({
  chainId: shortString(chainId),
  address: felt(BigInt(address)),
})

export const termsOf = ({ initiator, redeemer, timelock, amount, secretHash }: Vector): OrderTerms => ({
  initiator: felt(BigInt(initiator)),
  redeemer: felt(BigInt(redeemer)),
  timelock: BigInt(timelock),
  amount: BigInt(amount),
  secretHash,
})

export function vectorTest(vector: Vector, index: number): CairoTestSource {
  const { chainId, address, initiator, redeemer, timelock, amount, secret, signature } = vector
  return {
    name: `vector_${index}`,
    body: `starknet::testing::set_chain_id('${chainId}');
        let contract = ${address}.try_into().unwrap();
        let order = crate::orders::Order {
            initiator: ${initiator}.try_into().unwrap(),
            redeemer: ${redeemer}.try_into().unwrap(),
            timelock: ${timelock},
            amount: ${amount},
            secret_hash: crate::orders::hash_secret([${wordsOf(secret).join(', ')}]),
        };
        let order_id = crate::orders::order_id('${chainId}', contract, order);
        let name = crate::snip12::domain_name(contract);
        let digest = crate::snip12::initiate_digest(name, order);
        assert(order_id == ${vector.orderId}, 'order id');
        assert(name == '${vector.domainName}', 'domain name');
        assert(digest == ${vector.initiateDigest}, 'initiate digest');
        assert(crate::snip12::refund_digest(name, order.redeemer, order_id) == ${vector.refundDigest}, 'refund digest');
        assert(core::ecdsa::check_ecdsa_signature(digest, ${signature.publicKey}, ${signature.felts.join(', ')}), 'signature');`,
  }
}
