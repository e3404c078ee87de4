//! Moving tokens in and out.
use crate::errors;
use crate::interfaces::{IErc20Dispatcher, IErc20DispatcherTrait};
use starknet::{ContractAddress, get_contract_address};

/// Takes the amount from the payer, and measures that it arrived: a token that takes a fee delivers less.
/// The caller makes sure that no other `pull` runs in between, whose money would be measured twice.
pub fn pull(token: ContractAddress, payer: ContractAddress, amount: u256) {
    let this = get_contract_address();
    let erc20 = IErc20Dispatcher { contract_address: token };
    let before = erc20.balance_of(this);
    assert(erc20.transfer_from(payer, this, amount), errors::TRANSFER_FAILED);
    let after = erc20.balance_of(this);
    assert(after >= before && after - before >= amount, errors::AMOUNT_NOT_RECEIVED);
}

pub fn push(token: ContractAddress, payee: ContractAddress, amount: u256) {
    assert(IErc20Dispatcher { contract_address: token }.transfer(payee, amount), errors::TRANSFER_FAILED);
}
