module sui::object;

public struct ID has copy, drop, store {
    bytes: address,
}

public struct UID has store {
    id: ID,
}

public use fun uid_to_address as UID.to_address;
public fun uid_to_address(_uid: &UID): address {
    abort
}

public use fun uid_to_bytes as UID.to_bytes;
public fun uid_to_bytes(_uid: &UID): vector<u8> {
    abort
}

public fun new(_ctx: &mut TxContext): UID {
    abort
}
