module sui::clock;

public struct Clock has key {
    id: UID,
    timestamp_ms: u64,
}

public fun timestamp_ms(_clock: &Clock): u64 {
    abort
}
