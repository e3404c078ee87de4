module sui::balance;

public struct Balance<phantom T> has store {
    value: u64,
}
