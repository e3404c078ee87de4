module std::bcs;

public native fun to_bytes<T>(value: &T): vector<u8>;
