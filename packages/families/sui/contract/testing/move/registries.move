#[test_only]
/// Several registries, other coins, and several calls in one transaction.
module tandem_htlc::registries;

use std::hash::sha2_256;
use sui::clock;
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self, Scenario};
use tandem_htlc::htlc::{Self, Registry};

public struct TOKEN has drop {}

const ALICE: address = @0xa11ce;
const BOB: address = @0xb0b;
const SECRET: vector<u8> = x"0707070707070707070707070707070707070707070707070707070707070707";
const EWrong: u64 = 1001;

#[test]
fun another_coin_is_paid_in_kind() {
    let mut scenario = test_scenario::begin(ALICE);
    let mut registry = create<TOKEN>(&mut scenario);
    let id = initiate(&mut registry, &mut scenario);
    registry.redeem(id, SECRET, scenario.ctx());
    scenario.next_tx(BOB);
    let coin: Coin<TOKEN> = scenario.take_from_sender();
    assert!(coin.value() == 5 && !test_scenario::has_most_recent_for_sender<Coin<SUI>>(&scenario), EWrong);
    scenario.return_to_sender(coin);
    test_scenario::return_shared(registry);
    scenario.end();
}

#[test]
fun equal_terms_in_two_registries_are_two_orders() {
    let mut scenario = test_scenario::begin(ALICE);
    let mut first = create<SUI>(&mut scenario);
    let mut second = create<SUI>(&mut scenario);
    let id = initiate(&mut first, &mut scenario);
    assert!(second.state(id) == 0, EWrong);
    let other = initiate(&mut second, &mut scenario);
    assert!(id != other && first.state(other) == 0, EWrong);
    first.redeem(id, SECRET, scenario.ctx());
    assert!(first.state(id) == 1 && second.state(other) == 9, EWrong);
    test_scenario::return_shared(first);
    test_scenario::return_shared(second);
    scenario.end();
}

#[test, expected_failure(abort_code = 10, location = tandem_htlc::htlc)]
fun an_order_is_not_redeemed_in_another_registry() {
    let mut scenario = test_scenario::begin(ALICE);
    let mut first = create<SUI>(&mut scenario);
    let mut second = create<SUI>(&mut scenario);
    let id = initiate(&mut first, &mut scenario);
    initiate(&mut second, &mut scenario);
    second.redeem(id, SECRET, scenario.ctx());
    abort EWrong
}

#[test]
fun an_order_is_initiated_and_redeemed_in_one_transaction() {
    let mut scenario = test_scenario::begin(ALICE);
    let mut registry = create<SUI>(&mut scenario);
    let id = initiate(&mut registry, &mut scenario);
    registry.redeem(id, SECRET, scenario.ctx());
    assert!(registry.state(id) == 1, EWrong);
    test_scenario::return_shared(registry);
    scenario.next_tx(ALICE);
    let registry = scenario.take_shared<Registry<SUI>>();
    assert!(registry.state(id) == 1, EWrong);
    test_scenario::return_shared(registry);
    scenario.end();
}

#[test, expected_failure(abort_code = 9, location = tandem_htlc::htlc)]
fun an_order_is_not_initiated_again_in_the_transaction_that_redeemed_it() {
    let mut scenario = test_scenario::begin(ALICE);
    let mut registry = create<SUI>(&mut scenario);
    let id = initiate(&mut registry, &mut scenario);
    registry.redeem(id, SECRET, scenario.ctx());
    initiate(&mut registry, &mut scenario);
    abort EWrong
}

fun create<C>(scenario: &mut Scenario): Registry<C> {
    htlc::create_registry<C>(scenario.ctx());
    scenario.next_tx(ALICE);
    scenario.take_shared()
}

/// An order of 5 units at the time 9.
fun initiate<C>(registry: &mut Registry<C>, scenario: &mut Scenario): vector<u8> {
    let mut clock = clock::create_for_testing(scenario.ctx());
    clock.set_for_testing(9);
    let coin = coin::mint_for_testing<C>(5, scenario.ctx());
    registry.initiate(ALICE, BOB, sha2_256(SECRET), 5, 1000, coin, &clock);
    clock.destroy_for_testing();
    registry.order_id(ALICE, BOB, sha2_256(SECRET), 5, 1000)
}
