module sui::transfer;

public fun public_transfer<T: key + store>(_object: T, _recipient: address) {
    abort
}

public fun share_object<T: key>(_object: T) {
    abort
}
