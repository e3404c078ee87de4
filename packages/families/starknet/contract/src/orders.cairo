//! The terms of an order, the id that follows from them, and the secret.
use core::poseidon::poseidon_hash_span;
use core::sha256::compute_sha256_u32_array;
use starknet::ContractAddress;

#[derive(Copy, Drop)]
pub struct Order {
    pub initiator: ContractAddress,
    pub redeemer: ContractAddress,
    pub timelock: u128,
    pub amount: u256,
    pub secret_hash: [u32; 8],
}

/// poseidon(chain id of the deployment, contract, initiator, redeemer, timelock, amount low, amount high, 8 hash words).
/// It depends on nothing else, so both parties know the id before anything is on the chain.
pub fn order_id(chain_id: felt252, contract: ContractAddress, order: Order) -> felt252 {
    let [a, b, c, d, e, f, g, h] = order.secret_hash;
    poseidon_hash_span(
        array![
            chain_id,
            contract.into(),
            order.initiator.into(),
            order.redeemer.into(),
            order.timelock.into(),
            order.amount.low.into(),
            order.amount.high.into(),
            a.into(),
            b.into(),
            c.into(),
            d.into(),
            e.into(),
            f.into(),
            g.into(),
            h.into(),
        ]
            .span(),
    )
}

/// SHA-256 of the 32 bytes.
pub fn hash_secret(secret: [u32; 8]) -> [u32; 8] {
    let [a, b, c, d, e, f, g, h] = secret;
    compute_sha256_u32_array(array![a, b, c, d, e, f, g, h], 0, 0)
}
