// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title The code that most wallets give to a key's own account (EIP-7702): it approves what that key has signed.
contract KeyDelegate {
    receive() external payable {}

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        address signer = ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        return signer == address(this) ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}
