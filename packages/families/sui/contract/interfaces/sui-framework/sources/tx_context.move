module sui::tx_context;

public struct TxContext has drop {
    sender: address,
}

public fun sender(_ctx: &TxContext): address {
    abort
}
