//! Hash time-locked contract for one ERC-20 token: pays the redeemer once a secret is shown, or the initiator after a
//! timelock. No owner, no upgrade, no pause, no fee: what the terms of an order say is all that can happen.
//!
//! An order is one storage slot, keyed by a hash over all of its terms. Callers repeat the terms, and a wrong one leads
//! to a slot that was never written.
//!
//! Invariants:
//! 1. The contract holds at least the sum of the amounts of all open orders.
//! 2. An order is paid out once, either to its redeemer or to its initiator.
//! 3. A slot never returns to zero. The Initiate signature has no nonce and no deadline, so this is what keeps it from
//!    being used again after its order was settled.
//! 4. A slot is read and written without an external call in between, and before the transfer that it permits.

#[starknet::contract]
pub mod Htlc {
    use core::num::traits::Zero;
    use crate::orders::{Order, hash_secret, order_id};
    use crate::{errors, interfaces::IHtlc, snip12, transfers};
    use starknet::storage::Map;
    use starknet::{
        ContractAddress, get_block_timestamp, get_caller_address, get_contract_address, get_tx_info,
    };

    /// 30 days. A longer timelock is most likely a mistake of units, and would lock money for long.
    const MAX_TIMELOCK: u128 = 2592000;

    /// Marks of settled orders. Block timestamps are far above them, so one number tells all four states apart.
    const REDEEMED: u64 = 1;
    const REFUNDED: u64 = 2;

    #[storage]
    struct Storage {
        token: ContractAddress,
        /// Of the deployment: a chain that changes its id must not lock open orders for ever.
        chain_id: felt252,
        domain_name: felt252,
        initiated_at: Map<felt252, u64>,
        /// True while an order is being paid for.
        collecting: bool,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Initiated: Initiated,
        Redeemed: Redeemed,
        Refunded: Refunded,
    }

    #[derive(Drop, starknet::Event)]
    struct Initiated {
        #[key]
        order_id: felt252,
        initiator: ContractAddress,
        redeemer: ContractAddress,
        timelock: u128,
        amount: u256,
        secret_hash: [u32; 8],
    }

    #[derive(Drop, starknet::Event)]
    struct Redeemed {
        #[key]
        order_id: felt252,
        secret: [u32; 8],
    }

    #[derive(Drop, starknet::Event)]
    struct Refunded {
        #[key]
        order_id: felt252,
    }

    #[constructor]
    fn constructor(ref self: ContractState, token: ContractAddress) {
        assert(Zero::is_non_zero(@token), errors::ZERO_TOKEN);
        self.token.write(token);
        self.chain_id.write(get_tx_info().unbox().chain_id);
        self.domain_name.write(snip12::domain_name(get_contract_address()));
    }

    #[abi(embed_v0)]
    impl HtlcImpl of IHtlc<ContractState> {
        fn initiate(
            ref self: ContractState,
            redeemer: ContractAddress,
            timelock: u128,
            amount: u256,
            secret_hash: [u32; 8],
        ) {
            let initiator = get_caller_address();
            self.open(Order { initiator, redeemer, timelock, amount, secret_hash }, payer: initiator);
        }

        fn initiate_on_behalf(
            ref self: ContractState,
            initiator: ContractAddress,
            redeemer: ContractAddress,
            timelock: u128,
            amount: u256,
            secret_hash: [u32; 8],
        ) {
            let order = Order { initiator, redeemer, timelock, amount, secret_hash };
            self.open(order, payer: get_caller_address());
        }

        fn initiate_with_signature(
            ref self: ContractState,
            initiator: ContractAddress,
            redeemer: ContractAddress,
            timelock: u128,
            amount: u256,
            secret_hash: [u32; 8],
            signature: Array<felt252>,
        ) {
            let order = Order { initiator, redeemer, timelock, amount, secret_hash };
            let digest = snip12::initiate_digest(self.domain_name.read(), order);
            assert(snip12::is_signed_by(initiator, digest, signature), errors::INVALID_SIGNATURE);
            self.open(order, payer: initiator);
        }

        fn redeem(
            ref self: ContractState,
            initiator: ContractAddress,
            redeemer: ContractAddress,
            timelock: u128,
            amount: u256,
            secret: [u32; 8],
        ) {
            let secret_hash = hash_secret(secret);
            let order_id = self.order_id(initiator, redeemer, timelock, amount, secret_hash);
            self.require_open(order_id);
            self.initiated_at.write(order_id, REDEEMED);
            self.emit(Redeemed { order_id, secret });
            transfers::push(self.token.read(), redeemer, amount);
        }

        fn refund(
            ref self: ContractState,
            initiator: ContractAddress,
            redeemer: ContractAddress,
            timelock: u128,
            amount: u256,
            secret_hash: [u32; 8],
        ) {
            let order_id = self.order_id(initiator, redeemer, timelock, amount, secret_hash);
            let age = get_block_timestamp() - self.require_open(order_id);
            assert(age.into() >= timelock, errors::ORDER_NOT_EXPIRED);
            self.pay_back(order_id, initiator, amount);
        }

        fn instant_refund(
            ref self: ContractState,
            initiator: ContractAddress,
            redeemer: ContractAddress,
            timelock: u128,
            amount: u256,
            secret_hash: [u32; 8],
            signature: Array<felt252>,
        ) {
            let order_id = self.order_id(initiator, redeemer, timelock, amount, secret_hash);
            if get_caller_address() != redeemer {
                let digest = snip12::refund_digest(self.domain_name.read(), redeemer, order_id);
                assert(snip12::is_signed_by(redeemer, digest, signature), errors::INVALID_SIGNATURE);
            }
            // Only now: the redeemer's account may have redeemed the order while it was asked about the signature.
            self.require_open(order_id);
            self.pay_back(order_id, initiator, amount);
        }

        fn token(self: @ContractState) -> ContractAddress {
            self.token.read()
        }

        fn order_id(
            self: @ContractState,
            initiator: ContractAddress,
            redeemer: ContractAddress,
            timelock: u128,
            amount: u256,
            secret_hash: [u32; 8],
        ) -> felt252 {
            let order = Order { initiator, redeemer, timelock, amount, secret_hash };
            order_id(self.chain_id.read(), get_contract_address(), order)
        }

        fn initiated_at(self: @ContractState, order_id: felt252) -> u64 {
            self.initiated_at.read(order_id)
        }

        fn domain_name(self: @ContractState) -> felt252 {
            self.domain_name.read()
        }
    }

    #[generate_trait]
    impl Internal of InternalTrait {
        /// Writes the order, then collects its amount.
        fn open(ref self: ContractState, order: Order, payer: ContractAddress) {
            let this = get_contract_address();
            let Order { initiator, redeemer, timelock, amount, secret_hash } = order;
            assert(Zero::is_non_zero(@initiator), errors::ZERO_INITIATOR);
            assert(Zero::is_non_zero(@redeemer), errors::ZERO_REDEEMER);
            assert(initiator != redeemer, errors::SAME_PARTIES);
            assert(initiator != this && redeemer != this, errors::PARTY_IS_CONTRACT);
            assert(timelock != 0 && timelock <= MAX_TIMELOCK, errors::INVALID_TIMELOCK);
            assert(amount != 0, errors::ZERO_AMOUNT);

            let order_id = order_id(self.chain_id.read(), this, order);
            assert(self.initiated_at.read(order_id) == 0, errors::DUPLICATE_ORDER);
            self.initiated_at.write(order_id, get_block_timestamp());
            self.emit(Initiated { order_id, initiator, redeemer, timelock, amount, secret_hash });

            // The amount is measured as a difference of balances. An initiation inside of another would be counted by both.
            assert(!self.collecting.read(), errors::REENTRANT_INITIATION);
            self.collecting.write(true);
            transfers::pull(self.token.read(), payer, amount);
            self.collecting.write(false);
        }

        fn require_open(self: @ContractState, order_id: felt252) -> u64 {
            let initiated_at = self.initiated_at.read(order_id);
            assert(initiated_at != 0, errors::ORDER_NOT_INITIATED);
            assert(initiated_at > REFUNDED, errors::ORDER_SETTLED);
            initiated_at
        }

        fn pay_back(ref self: ContractState, order_id: felt252, initiator: ContractAddress, amount: u256) {
            self.initiated_at.write(order_id, REFUNDED);
            self.emit(Refunded { order_id });
            transfers::push(self.token.read(), initiator, amount);
        }
    }
}
