// SPDX-License-Identifier: Apache-2.0

/// Hash time-locked contract for coins of any type: pays the redeemer once a secret is shown, or the initiator after a
/// timelock. No owner, no upgrade, no pause, no fee: what the terms of an order say is all that can happen.
///
/// A registry holds the orders of one coin type. An order is a dynamic field of it, named by a hash over all of its
/// terms. When the order is settled, a mark takes its place for ever.
///
/// Invariants:
/// 1. An open order owns exactly its amount. No function takes money from an order without settling it.
/// 2. An order is paid out once, either to its redeemer or to its initiator.
/// 3. A field is never removed without another one in its place, so an order id counts once.
module tandem_htlc::htlc;

use std::bcs;
use std::hash::sha2_256;
use sui::balance::Balance;
use sui::clock::Clock;
use sui::coin::{Self, Coin};
use sui::dynamic_field as field;
use sui::ed25519::ed25519_verify;
use sui::event;
use sui::hash::blake2b256;

// Abort codes. `client/errors.ts` has the same list.

const EZeroInitiator: u64 = 1;
const EZeroRedeemer: u64 = 2;
const ESameParties: u64 = 3;
/// A party is the registry: it can neither receive nor return coins, and the money would stay for ever.
const EPartyIsRegistry: u64 = 4;
/// Zero, or longer than 30 days.
const EInvalidTimelock: u64 = 5;
const EZeroAmount: u64 = 6;
/// Not 32 bytes.
const EInvalidSecretHash: u64 = 7;
/// The coin is worth more or less than the amount of the order.
const EWrongCoinValue: u64 = 8;
/// An order with exactly these terms exists or existed.
const EDuplicateOrder: u64 = 9;
const EOrderNotInitiated: u64 = 10;
/// The order was redeemed or refunded before.
const EOrderSettled: u64 = 11;
const EOrderNotExpired: u64 = 12;
/// Not 32 bytes, or another hash.
const EWrongSecret: u64 = 13;
/// An instant refund without a signature was not sent by the redeemer.
const ENotRedeemer: u64 = 14;
/// The key is not the redeemer's, or it did not sign this refund.
const EInvalidSignature: u64 = 15;
/// The time that the sender named for the whole transaction has passed.
const ETooLate: u64 = 16;

/// 30 days in milliseconds. A longer timelock is most likely a mistake of units, and would lock money for long.
const MAX_TIMELOCK: u64 = 2_592_000_000;

/// Of a secret and of its hash. Other chains of a swap have room for 32 bytes only: a longer secret could be used here
/// and nowhere else, and the other party would lose its money.
const SECRET_LENGTH: u64 = 32;

/// What `state` answers for an order that is not open. Times are far above these numbers.
const NEVER_INITIATED: u64 = 0;
const REDEEMED: u64 = 1;
const REFUNDED: u64 = 2;

const ORDER_TAG: vector<u8> = b"tandem htlc: order";
const REFUND_TAG: vector<u8> = b"tandem htlc: instant refund";

/// Scope, version and application of a personal message, as wallets sign it.
const PERSONAL_MESSAGE_INTENT: vector<u8> = vector[3, 0, 0];
/// Precedes an ed25519 key in what an address is the hash of.
const ED25519_FLAG: u8 = 0;

/// The orders of one coin type. Anyone may create one: it gives no rights.
public struct Registry<phantom C> has key {
    id: UID,
}

/// An open order.
public struct Order<phantom C> has store {
    initiator: address,
    redeemer: address,
    secret_hash: vector<u8>,
    initiated_at: u64,
    timelock: u64,
    funds: Balance<C>,
}

/// What stays of a settled order: `REDEEMED` or `REFUNDED`. It cannot be dropped.
public struct Settled has store {
    mark: u64,
}

public struct RegistryCreated has copy, drop {
    registry: address,
}

/// `initiated_at`: time of the clock in milliseconds, from which the timelock counts.
public struct Initiated has copy, drop {
    registry: address,
    order_id: vector<u8>,
    initiator: address,
    redeemer: address,
    secret_hash: vector<u8>,
    amount: u64,
    timelock: u64,
    initiated_at: u64,
}

public struct Redeemed has copy, drop {
    registry: address,
    order_id: vector<u8>,
    secret: vector<u8>,
}

public struct Refunded has copy, drop {
    registry: address,
    order_id: vector<u8>,
}

/// Makes and shares a registry for coins of type `C`.
public fun create_registry<C>(ctx: &mut TxContext) {
    let registry = Registry<C> { id: object::new(ctx) };
    event::emit(RegistryCreated { registry: registry.id.to_address() });
    transfer::share_object(registry);
}

/// Locks the coin. Whoever has a coin may pay; a refund goes to the initiator.
public fun initiate<C>(
    registry: &mut Registry<C>,
    initiator: address,
    redeemer: address,
    secret_hash: vector<u8>,
    amount: u64,
    timelock: u64,
    coin: Coin<C>,
    clock: &Clock,
) {
    let this = registry.id.to_address();
    assert!(initiator != @0x0, EZeroInitiator);
    assert!(redeemer != @0x0, EZeroRedeemer);
    assert!(initiator != redeemer, ESameParties);
    assert!(initiator != this && redeemer != this, EPartyIsRegistry);
    assert!(timelock != 0 && timelock <= MAX_TIMELOCK, EInvalidTimelock);
    assert!(amount != 0, EZeroAmount);
    assert!(secret_hash.length() == SECRET_LENGTH, EInvalidSecretHash);
    assert!(coin.value() == amount, EWrongCoinValue);

    let order_id = registry.order_id(initiator, redeemer, secret_hash, amount, timelock);
    assert!(registry.state(order_id) == NEVER_INITIATED, EDuplicateOrder);
    let initiated_at = clock.timestamp_ms();
    let funds = coin.into_balance();
    field::add(
        &mut registry.id,
        order_id,
        Order { initiator, redeemer, secret_hash, initiated_at, timelock, funds },
    );
    event::emit(Initiated {
        registry: this,
        order_id,
        initiator,
        redeemer,
        secret_hash,
        amount,
        timelock,
        initiated_at,
    });
}

/// Pays the redeemer. Anyone may call: the secret decides, and the payee is part of the order.
/// Possible after expiry too, until a refund, so that a late redemption of a known secret still works.
public fun redeem<C>(
    registry: &mut Registry<C>,
    order_id: vector<u8>,
    secret: vector<u8>,
    ctx: &mut TxContext,
) {
    let Order { redeemer, secret_hash, funds, .. } = registry.settle(order_id, REDEEMED);
    assert!(secret.length() == SECRET_LENGTH && sha2_256(secret) == secret_hash, EWrongSecret);
    event::emit(Redeemed { registry: registry.id.to_address(), order_id, secret });
    transfer::public_transfer(coin::from_balance(funds, ctx), redeemer);
}

/// Pays the initiator back once the timelock has passed. Anyone may call.
public fun refund<C>(
    registry: &mut Registry<C>,
    order_id: vector<u8>,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let order = registry.settle(order_id, REFUNDED);
    assert!(clock.timestamp_ms() >= order.initiated_at + order.timelock, EOrderNotExpired);
    registry.pay_back(order_id, order, ctx);
}

/// Pays the initiator back at once. The redeemer sends the transaction.
public fun instant_refund<C>(
    registry: &mut Registry<C>,
    order_id: vector<u8>,
    ctx: &mut TxContext,
) {
    let order = registry.settle(order_id, REFUNDED);
    assert!(ctx.sender() == order.redeemer, ENotRedeemer);
    registry.pay_back(order_id, order, ctx);
}

/// Pays the initiator back at once. Anyone may call with the consent of a redeemer that has an ed25519 key: its signature
/// of the personal message `tandem htlc: instant refund`, registry, order id.
public fun instant_refund_with_signature<C>(
    registry: &mut Registry<C>,
    order_id: vector<u8>,
    public_key: vector<u8>,
    signature: vector<u8>,
    ctx: &mut TxContext,
) {
    let order = registry.settle(order_id, REFUNDED);
    let digest = registry.refund_digest(order_id);
    assert!(
        ed25519_address(public_key) == bcs::to_bytes(&order.redeemer)
            && ed25519_verify(&signature, &public_key, &digest),
        EInvalidSignature,
    );
    registry.pay_back(order_id, order, ctx);
}

/// Aborts at and after `deadline`, a time of the clock in milliseconds. Transactions expire with an epoch only: a sender
/// that puts this before its other calls knows that none of them happens later.
public fun assert_before(clock: &Clock, deadline: u64) {
    assert!(clock.timestamp_ms() < deadline, ETooLate);
}

/// 0: never initiated; 1: redeemed; 2: refunded; otherwise open, and the time of initiation in milliseconds.
public fun state<C>(registry: &Registry<C>, order_id: vector<u8>): u64 {
    if (field::exists_with_type<vector<u8>, Settled>(&registry.id, order_id)) {
        field::borrow<vector<u8>, Settled>(&registry.id, order_id).mark
    } else if (field::exists_with_type<vector<u8>, Order<C>>(&registry.id, order_id)) {
        field::borrow<vector<u8>, Order<C>>(&registry.id, order_id).initiated_at
    } else {
        NEVER_INITIATED
    }
}

/// SHA-256 of `tandem htlc: order`, registry, initiator, redeemer, secret hash, amount and timelock (both little-endian).
/// It depends on nothing but the terms and the registry, so both parties know it before anything is on the chain.
public fun order_id<C>(
    registry: &Registry<C>,
    initiator: address,
    redeemer: address,
    secret_hash: vector<u8>,
    amount: u64,
    timelock: u64,
): vector<u8> {
    let mut terms = ORDER_TAG;
    terms.append(registry.id.to_bytes());
    terms.append(bcs::to_bytes(&initiator));
    terms.append(bcs::to_bytes(&redeemer));
    terms.append(secret_hash);
    terms.append(bcs::to_bytes(&amount));
    terms.append(bcs::to_bytes(&timelock));
    sha2_256(terms)
}

/// What the redeemer signs for an instant refund: the digest of a personal message.
public fun refund_digest<C>(registry: &Registry<C>, order_id: vector<u8>): vector<u8> {
    let mut message = REFUND_TAG;
    message.append(registry.id.to_bytes());
    message.append(order_id);
    let mut intent_message = PERSONAL_MESSAGE_INTENT;
    intent_message.append(bcs::to_bytes(&message));
    blake2b256(&intent_message)
}

/// Takes an open order out of the registry and leaves its mark. The caller decides whether that is right, else aborts.
fun settle<C>(registry: &mut Registry<C>, order_id: vector<u8>, mark: u64): Order<C> {
    let state = registry.state(order_id);
    assert!(state != NEVER_INITIATED, EOrderNotInitiated);
    assert!(state != REDEEMED && state != REFUNDED, EOrderSettled);
    let order = field::remove(&mut registry.id, order_id);
    field::add(&mut registry.id, order_id, Settled { mark });
    order
}

fun pay_back<C>(registry: &Registry<C>, order_id: vector<u8>, order: Order<C>, ctx: &mut TxContext) {
    let Order { initiator, funds, .. } = order;
    event::emit(Refunded { registry: registry.id.to_address(), order_id });
    transfer::public_transfer(coin::from_balance(funds, ctx), initiator);
}

fun ed25519_address(public_key: vector<u8>): vector<u8> {
    let mut flagged = vector[ED25519_FLAG];
    flagged.append(public_key);
    blake2b256(&flagged)
}
