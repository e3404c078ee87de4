module std::hash;

public native fun sha2_256(data: vector<u8>): vector<u8>;
