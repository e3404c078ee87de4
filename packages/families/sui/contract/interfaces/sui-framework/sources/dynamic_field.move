module sui::dynamic_field;

public fun add<Name: copy + drop + store, Value: store>(_object: &mut UID, _name: Name, _value: Value) {
    abort
}

public fun borrow<Name: copy + drop + store, Value: store>(_object: &UID, _name: Name): &Value {
    abort
}

public fun remove<Name: copy + drop + store, Value: store>(_object: &mut UID, _name: Name): Value {
    abort
}

public fun exists_with_type<Name: copy + drop + store, Value: store>(_object: &UID, _name: Name): bool {
    abort
}
