#[defines_primitive(vector)]
module std::vector;

#[bytecode_instruction]
public native fun length<T>(list: &vector<T>): u64;

public fun append<T>(_list: &mut vector<T>, _more: vector<T>) {
    abort
}
