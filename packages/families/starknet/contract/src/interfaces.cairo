//! What the contract offers, and what it asks of its token.
use starknet::ContractAddress;

/// One contract holds one token. The caller of `initiate` is the initiator.
/// `timelock`: seconds after the block of the initiation. `secret` and `secret_hash`: 32 bytes as big-endian words.
#[starknet::interface]
pub trait IHtlc<TState> {
    fn initiate(
        ref self: TState, redeemer: ContractAddress, timelock: u128, amount: u256, secret_hash: [u32; 8],
    );
    /// The caller pays. A refund goes to the initiator.
    fn initiate_on_behalf(
        ref self: TState,
        initiator: ContractAddress,
        redeemer: ContractAddress,
        timelock: u128,
        amount: u256,
        secret_hash: [u32; 8],
    );
    /// The initiator pays, and signed `Initiate`. Anyone may call.
    fn initiate_with_signature(
        ref self: TState,
        initiator: ContractAddress,
        redeemer: ContractAddress,
        timelock: u128,
        amount: u256,
        secret_hash: [u32; 8],
        signature: Array<felt252>,
    );
    /// Pays the redeemer. Anyone may call: the secret decides. It stays possible after expiry until a refund happens.
    fn redeem(
        ref self: TState,
        initiator: ContractAddress,
        redeemer: ContractAddress,
        timelock: u128,
        amount: u256,
        secret: [u32; 8],
    );
    /// Pays the initiator back once the timelock has passed. Anyone may call.
    fn refund(
        ref self: TState,
        initiator: ContractAddress,
        redeemer: ContractAddress,
        timelock: u128,
        amount: u256,
        secret_hash: [u32; 8],
    );
    /// Pays the initiator back at once. The redeemer calls, or signed `Refund`; its signature is ignored if it calls.
    fn instant_refund(
        ref self: TState,
        initiator: ContractAddress,
        redeemer: ContractAddress,
        timelock: u128,
        amount: u256,
        secret_hash: [u32; 8],
        signature: Array<felt252>,
    );
    fn token(self: @TState) -> ContractAddress;
    fn order_id(
        self: @TState,
        initiator: ContractAddress,
        redeemer: ContractAddress,
        timelock: u128,
        amount: u256,
        secret_hash: [u32; 8],
    ) -> felt252;
    /// 0: never initiated. 1: redeemed. 2: refunded. Otherwise open, and the block timestamp of the initiation.
    fn initiated_at(self: @TState, order_id: felt252) -> u64;
    /// The name in the SNIP-12 domain of this deployment, as a short string.
    fn domain_name(self: @TState) -> felt252;
}

#[starknet::interface]
pub trait IErc20<TState> {
    fn balance_of(self: @TState, account: ContractAddress) -> u256;
    fn transfer(ref self: TState, recipient: ContractAddress, amount: u256) -> bool;
    fn transfer_from(
        ref self: TState, sender: ContractAddress, recipient: ContractAddress, amount: u256,
    ) -> bool;
}
