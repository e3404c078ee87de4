module sui::coin;

use sui::balance::Balance;

public struct Coin<phantom T> has key, store {
    id: UID,
    balance: Balance<T>,
}

public fun value<T>(_coin: &Coin<T>): u64 {
    abort
}

public fun from_balance<T>(_balance: Balance<T>, _ctx: &mut TxContext): Coin<T> {
    abort
}

public fun into_balance<T>(_coin: Coin<T>): Balance<T> {
    abort
}
