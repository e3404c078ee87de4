module sui::ed25519;

public native fun ed25519_verify(signature: &vector<u8>, public_key: &vector<u8>, message: &vector<u8>): bool;
