module sui::hash;

public native fun blake2b256(data: &vector<u8>): vector<u8>;
