//! What a deployment says about itself.
use crate::htlc::Htlc;
use crate::interfaces::{IHtlcDispatcher, IHtlcDispatcherTrait};
use crate::snip12::domain_name;
use crate::tests::player::deploy;
use starknet::ContractAddress;
use starknet::syscalls::deploy_syscall;

fn htlc_of(token: felt252) -> IHtlcDispatcher {
    IHtlcDispatcher { contract_address: deploy(Htlc::TEST_CLASS_HASH, array![token]) }
}

#[test]
fn a_deployment_names_its_token_and_its_domain() {
    let token: ContractAddress = 0x70c.try_into().unwrap();
    let htlc = htlc_of(0x70c);
    assert(htlc.token() == token, 'token');
    assert(htlc.domain_name() == domain_name(htlc.contract_address), 'domain name');
}

#[test]
fn deployments_have_different_domains_and_ids() {
    let (first, second) = (htlc_of(0x70c), htlc_of(0x70d));
    assert(first.domain_name() != second.domain_name(), 'domain name');
    let (a, b): (ContractAddress, ContractAddress) = (0xa.try_into().unwrap(), 0xb.try_into().unwrap());
    let hash = [1, 2, 3, 4, 5, 6, 7, 8];
    assert(first.order_id(a, b, 10, 20, hash) != second.order_id(a, b, 10, 20, hash), 'order id');
}

#[test]
fn no_deployment_without_a_token() {
    let result = deploy_syscall(Htlc::TEST_CLASS_HASH.try_into().unwrap(), 0, array![0].span(), false);
    assert(*result.unwrap_err()[0] == 'HTLC: zero token', 'zero token');
}
