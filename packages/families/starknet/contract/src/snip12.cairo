//! SNIP-12 messages (revision 1), and the question to an account whether it signed one.
use core::poseidon::poseidon_hash_span;
use crate::orders::Order;
use starknet::syscalls::call_contract_syscall;
use starknet::{ContractAddress, get_tx_info};

const DOMAIN_TYPE_HASH: felt252 =
    selector!(
        "\"StarknetDomain\"(\"name\":\"shortstring\",\"version\":\"shortstring\",\"chainId\":\"shortstring\",\"revision\":\"shortstring\")",
    );
const U256_TYPE_HASH: felt252 = selector!("\"u256\"(\"low\":\"u128\",\"high\":\"u128\")");
const INITIATE_TYPE_HASH: felt252 =
    selector!(
        "\"Initiate\"(\"redeemer\":\"ContractAddress\",\"amount\":\"u256\",\"timelock\":\"u128\",\"secretHash\":\"u128*\")\"u256\"(\"low\":\"u128\",\"high\":\"u128\")",
    );
const REFUND_TYPE_HASH: felt252 = selector!("\"Refund\"(\"orderId\":\"felt\")");

const VERSION: felt252 = '1';
const REVISION: felt252 = 1;

/// A short string holds 31 characters: five for the prefix, 26 for digits of the address.
const ADDRESS_DIGITS: u32 = 26;

/// `HTLC-` and the last 26 hex digits of the address. SNIP-12 domains do not name a contract: the name keeps a
/// signature for one deployment from counting at another.
pub fn domain_name(contract: ContractAddress) -> felt252 {
    let address: felt252 = contract.into();
    let mut rest: u256 = address.into();
    let mut name: felt252 = 0;
    let mut place: felt252 = 1;
    let mut left = ADDRESS_DIGITS;
    while left != 0 {
        let digit: felt252 = (rest.low % 16).into();
        let character = if rest.low % 16 < 10 {
            digit + '0'
        } else {
            digit - 10 + 'a'
        };
        name += character * place;
        place *= 256;
        rest = rest / 16;
        left -= 1;
    };
    name + 'HTLC-' * place
}

pub fn initiate_digest(domain_name: felt252, order: Order) -> felt252 {
    let [a, b, c, d, e, f, g, h] = order.secret_hash;
    let amount = poseidon_hash_span(
        array![U256_TYPE_HASH, order.amount.low.into(), order.amount.high.into()].span(),
    );
    let secret_hash = poseidon_hash_span(
        array![a.into(), b.into(), c.into(), d.into(), e.into(), f.into(), g.into(), h.into()].span(),
    );
    let message = array![
        INITIATE_TYPE_HASH, order.redeemer.into(), amount, order.timelock.into(), secret_hash,
    ];
    digest(domain_name, order.initiator, poseidon_hash_span(message.span()))
}

pub fn refund_digest(domain_name: felt252, redeemer: ContractAddress, order_id: felt252) -> felt252 {
    digest(domain_name, redeemer, poseidon_hash_span(array![REFUND_TYPE_HASH, order_id].span()))
}

/// The chain id is the current one: after a split of the chain, a signature for one branch does not count on the other.
fn digest(domain_name: felt252, signer: ContractAddress, message_hash: felt252) -> felt252 {
    let chain_id = get_tx_info().unbox().chain_id;
    let domain = array![DOMAIN_TYPE_HASH, domain_name, VERSION, chain_id, REVISION];
    poseidon_hash_span(
        array!['StarkNet Message', poseidon_hash_span(domain.span()), signer.into(), message_hash].span(),
    )
}

/// Accounts answer 'VALID' (SNIP-6), older ones 1. Any other answer, none, several, and a panic mean no.
///
/// The account's code runs here and may call this contract: whoever asks must read all state afterwards.
pub fn is_signed_by(signer: ContractAddress, digest: felt252, signature: Array<felt252>) -> bool {
    let mut calldata = array![digest];
    signature.serialize(ref calldata);
    match call_contract_syscall(signer, selector!("is_valid_signature"), calldata.span()) {
        Result::Ok(answer) => answer.len() == 1 && (*answer[0] == 'VALID' || *answer[0] == 1),
        Result::Err(_) => false,
    }
}
