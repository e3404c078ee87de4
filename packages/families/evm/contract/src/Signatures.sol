// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title EIP-712 digests, and the check that an account signed one.
/// @notice Accepts what wallets produce: 65-byte ECDSA, 64-byte EIP-2098, and ERC-1271 for contract accounts.
abstract contract Signatures {
    /// @notice The signature does not come from the account that had to sign.
    error HTLC__InvalidSignature();

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    string private constant VERSION = "1";

    /// EIP-2: signatures with s above n/2 are the malleable twins of canonical ones.
    uint256 private constant HALF_CURVE_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;
    bytes4 private constant ERC1271_MAGIC = 0x1626ba7e;

    uint256 internal immutable _deployedChainId;
    bytes32 private immutable _deployedDomainSeparator;

    constructor() {
        _deployedChainId = block.chainid;
        _deployedDomainSeparator = _buildDomainSeparator();
    }

    /// @notice ERC-5267: everything a wallet needs to build the EIP-712 domain of this contract.
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        // 0x0f: name, version, chainId and verifyingContract are used; there is no salt.
        return (0x0f, _domainName(), VERSION, block.chainid, address(this), bytes32(0), new uint256[](0));
    }

    /// @dev A constant of the contract kind, so that wallets show what is being signed for.
    function _domainName() internal pure virtual returns (string memory);

    function _typedDataDigest(bytes32 structHash) internal view returns (bytes32 digest) {
        bytes32 separator = _domainSeparator();
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, hex"1901")
            mstore(add(pointer, 2), separator)
            mstore(add(pointer, 34), structHash)
            digest := keccak256(pointer, 66)
        }
    }

    /// @dev ECDSA comes first: an EIP-7702 account has code but may still sign with its key, and recovering is
    /// cheaper than a call. Any other signature is checked by the account itself.
    function _requireSignature(address signer, bytes32 digest, bytes calldata signature) internal view {
        if (_isSignedByKey(signer, digest, signature)) return;
        if (!_isApprovedByContract(signer, digest, signature)) revert HTLC__InvalidSignature();
    }

    /// @return signed False also when the signature is malformed, malleable or recovers nothing.
    function _isSignedByKey(address signer, bytes32 digest, bytes calldata signature)
        private
        view
        returns (bool signed)
    {
        uint256 halfCurveOrder = HALF_CURVE_ORDER;
        // The bounds checks of slices would cost more than all of this. Reading beyond the end of a short signature
        // does no harm, because its length leaves v at zero, and the precompile recovers for 27 and 28 only.
        assembly ("memory-safe") {
            let v := 0
            let s := calldataload(add(signature.offset, 0x20))
            switch signature.length
            case 65 {
                v := byte(0, calldataload(add(signature.offset, 0x40)))
                // Some signers return the recovery id (0 or 1) instead of 27 or 28.
                if lt(v, 2) { v := add(v, 27) }
            }
            case 64 {
                // EIP-2098: the top bit of the second word is the parity, the rest is s.
                v := add(27, shr(255, s))
                s := shr(1, shl(1, s))
            }
            if iszero(gt(s, halfCurveOrder)) {
                let pointer := mload(0x40)
                mstore(pointer, digest)
                mstore(add(pointer, 0x20), v)
                mstore(add(pointer, 0x40), calldataload(signature.offset))
                mstore(add(pointer, 0x60), s)
                // A recovery that fails leaves this zero in place, and the zero address has no key.
                mstore(0x00, 0)
                pop(staticcall(gas(), 1, pointer, 0x80, 0x00, 0x20))
                // 160 bits are compared: the virtual machine of Tron answers with its 0x41 in front of them.
                signed := and(iszero(shl(96, xor(mload(0x00), signer))), gt(signer, 0))
            }
        }
    }

    /// @dev ERC-1271. Reads 32 bytes of the answer at most, so that the account cannot make the caller pay for
    /// copying a long one. An account without code answers nothing and is refused.
    function _isApprovedByContract(address signer, bytes32 digest, bytes calldata signature)
        private
        view
        returns (bool approved)
    {
        bytes memory data = abi.encodeWithSelector(ERC1271_MAGIC, digest, signature);
        assembly ("memory-safe") {
            let success := staticcall(gas(), signer, add(data, 32), mload(data), 0, 32)
            approved := and(and(success, gt(returndatasize(), 31)), eq(mload(0), ERC1271_MAGIC))
        }
    }

    /// @dev Rebuilt when the chain id is not the one of the deployment: after a chain split, signatures for one
    /// branch must not count on the other.
    function _domainSeparator() private view returns (bytes32) {
        return block.chainid == _deployedChainId ? _deployedDomainSeparator : _buildDomainSeparator();
    }

    function _buildDomainSeparator() private view returns (bytes32) {
        return keccak256(
            abi.encode(
                DOMAIN_TYPEHASH,
                keccak256(bytes(_domainName())),
                keccak256(bytes(VERSION)),
                block.chainid,
                address(this)
            )
        );
    }
}
