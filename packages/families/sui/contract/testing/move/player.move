#[test_only]
/// Plays the steps of scenarios against the module on the virtual machine.
module tandem_htlc::player;

use std::bcs;
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::event;
use sui::sui::SUI;
use sui::test_scenario::{Self, Scenario};
use tandem_htlc::htlc::{Self, Initiated, Redeemed, Refunded, Registry};

const ERegistry: u64 = 1001;
const EEvent: u64 = 1002;
const EState: u64 = 1003;
const EBalance: u64 = 1004;
const EOrderId: u64 = 1005;
const EDigest: u64 = 1006;

public struct World {
    scenario: Scenario,
    clock: Clock,
}

/// `registry`: the address that the first object of the first transaction has.
public fun begin(registry: address): World {
    let mut scenario = test_scenario::begin(@0x0);
    htlc::create_registry<SUI>(scenario.ctx());
    let created = event::events_by_type<htlc::RegistryCreated>();
    assert!(created.length() == 1 && bcs::to_bytes(&created[0]) == bcs::to_bytes(&registry), EEvent);
    scenario.next_tx(@0x0);
    let shared = scenario.take_shared<Registry<SUI>>();
    assert!(object::id_address(&shared) == registry, ERegistry);
    test_scenario::return_shared(shared);
    scenario.next_tx(@0x0);
    let clock = clock::create_for_testing(scenario.ctx());
    World { scenario, clock }
}

public fun end(world: World) {
    let World { scenario, clock } = world;
    clock.destroy_for_testing();
    scenario.end();
}

public fun fund(world: &mut World, party: address, amount: u64) {
    let coin = coin::mint_for_testing<SUI>(amount, world.scenario.ctx());
    transfer::public_transfer(coin, party);
    world.scenario.next_tx(@0x0);
}

public fun assert_before(world: &mut World, at: u64, deadline: u64) {
    world.clock.set_for_testing(at);
    htlc::assert_before(&world.clock, deadline);
}

public fun initiate(
    world: &mut World,
    at: u64,
    from: address,
    initiator: address,
    redeemer: address,
    secret_hash: vector<u8>,
    amount: u64,
    timelock: u64,
    coin_value: u64,
    contents: vector<u8>,
) {
    let mut registry = world.start(at, from);
    let coin = world.pay(from, coin_value);
    registry.initiate(initiator, redeemer, secret_hash, amount, timelock, coin, &world.clock);
    world.finish<Initiated>(registry, contents);
}

public fun redeem(
    world: &mut World,
    at: u64,
    from: address,
    order_id: vector<u8>,
    secret: vector<u8>,
    contents: vector<u8>,
) {
    let mut registry = world.start(at, from);
    registry.redeem(order_id, secret, world.scenario.ctx());
    world.finish<Redeemed>(registry, contents);
}

public fun refund(world: &mut World, at: u64, from: address, order_id: vector<u8>, contents: vector<u8>) {
    let mut registry = world.start(at, from);
    registry.refund(order_id, &world.clock, world.scenario.ctx());
    world.finish<Refunded>(registry, contents);
}

public fun instant_refund(
    world: &mut World,
    at: u64,
    from: address,
    order_id: vector<u8>,
    contents: vector<u8>,
) {
    let mut registry = world.start(at, from);
    registry.instant_refund(order_id, world.scenario.ctx());
    world.finish<Refunded>(registry, contents);
}

public fun instant_refund_with_signature(
    world: &mut World,
    at: u64,
    from: address,
    order_id: vector<u8>,
    public_key: vector<u8>,
    signature: vector<u8>,
    contents: vector<u8>,
) {
    let mut registry = world.start(at, from);
    registry.instant_refund_with_signature(order_id, public_key, signature, world.scenario.ctx());
    world.finish<Refunded>(registry, contents);
}

public fun expect_state(world: &mut World, order_id: vector<u8>, state: u64) {
    let registry = world.scenario.take_shared<Registry<SUI>>();
    assert!(registry.state(order_id) == state, EState);
    test_scenario::return_shared(registry);
    world.scenario.next_tx(@0x0);
}

public fun expect_order_id(
    world: &mut World,
    initiator: address,
    redeemer: address,
    secret_hash: vector<u8>,
    amount: u64,
    timelock: u64,
    order_id: vector<u8>,
) {
    let registry = world.scenario.take_shared<Registry<SUI>>();
    assert!(registry.order_id(initiator, redeemer, secret_hash, amount, timelock) == order_id, EOrderId);
    test_scenario::return_shared(registry);
    world.scenario.next_tx(@0x0);
}

public fun expect_digest(world: &mut World, order_id: vector<u8>, digest: vector<u8>) {
    let registry = world.scenario.take_shared<Registry<SUI>>();
    assert!(registry.refund_digest(order_id) == digest, EDigest);
    test_scenario::return_shared(registry);
    world.scenario.next_tx(@0x0);
}

public fun expect_balance(world: &mut World, party: address, amount: u64) {
    let mut total = 0;
    test_scenario::ids_for_address<Coin<SUI>>(party).do!(|id| {
        let coin = world.scenario.take_from_address_by_id<Coin<SUI>>(party, id);
        total = total + coin.value();
        test_scenario::return_to_address(party, coin);
    });
    assert!(total == amount, EBalance);
    world.scenario.next_tx(@0x0);
}

fun start(world: &mut World, at: u64, from: address): Registry<SUI> {
    world.clock.set_for_testing(at);
    world.scenario.next_tx(from);
    world.scenario.take_shared()
}

fun finish<E: copy + drop>(world: &mut World, registry: Registry<SUI>, contents: vector<u8>) {
    let events = event::events_by_type<E>();
    assert!(event::num_events() == 1 && events.length() == 1, EEvent);
    assert!(bcs::to_bytes(&events[0]) == contents, EEvent);
    test_scenario::return_shared(registry);
    world.scenario.next_tx(@0x0);
}

/// Splits the value off all coins of a party.
fun pay(world: &mut World, party: address, value: u64): Coin<SUI> {
    let mut all = coin::zero<SUI>(world.scenario.ctx());
    test_scenario::ids_for_address<Coin<SUI>>(party).do!(|id| {
        all.join(world.scenario.take_from_address_by_id(party, id));
    });
    let paid = all.split(value, world.scenario.ctx());
    transfer::public_transfer(all, party);
    paid
}
