// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IToken {
    function transferFrom(address from, address to, uint256 value) external;
}

/// @title The part of Permit2 that moves tokens by a signature with a witness, for local chains and tests only.
/// @dev Written from its documentation. It has no immutable variables, so its code can be put at its address.
contract Permit2StandIn {
    error InvalidSigner();
    error InvalidNonce();
    error InvalidAmount(uint256 maxAmount);
    error SignatureExpired(uint256 signatureDeadline);

    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    struct PermitTransferFrom {
        TokenPermissions permitted;
        uint256 nonce;
        uint256 deadline;
    }

    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    mapping(address owner => mapping(uint256 word => uint256)) public nonceBitmap;

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        bytes32 typeHash = keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
        return keccak256(abi.encode(typeHash, keccak256("Permit2"), block.chainid, address(this)));
    }

    function permitWitnessTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external {
        if (block.timestamp > permit.deadline) revert SignatureExpired(permit.deadline);
        if (transferDetails.requestedAmount > permit.permitted.amount) revert InvalidAmount(permit.permitted.amount);
        uint256 bit = 1 << (permit.nonce & 0xff);
        if (nonceBitmap[owner][permit.nonce >> 8] & bit != 0) revert InvalidNonce();
        nonceBitmap[owner][permit.nonce >> 8] |= bit;
        bytes32 digest =
            keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), _hash(permit, witness, witnessTypeString)));
        if (!_isSigned(owner, digest, signature)) revert InvalidSigner();
        IToken(permit.permitted.token).transferFrom(owner, transferDetails.to, transferDetails.requestedAmount);
    }

    function _hash(PermitTransferFrom calldata permit, bytes32 witness, string calldata witnessTypeString)
        private
        view
        returns (bytes32)
    {
        bytes32 typeHash = keccak256(
            abi.encodePacked(
                "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,",
                witnessTypeString
            )
        );
        bytes32 permitted = keccak256(
            abi.encode(keccak256("TokenPermissions(address token,uint256 amount)"), permit.permitted)
        );
        return keccak256(abi.encode(typeHash, permitted, msg.sender, permit.nonce, permit.deadline, witness));
    }

    function _isSigned(address owner, bytes32 digest, bytes calldata signature) private view returns (bool) {
        if (owner.code.length != 0) {
            (bool success, bytes memory answer) =
                owner.staticcall(abi.encodeWithSignature("isValidSignature(bytes32,bytes)", digest, signature));
            return success && answer.length >= 32 && abi.decode(answer, (bytes32)) == bytes32(bytes4(0x1626ba7e));
        }
        if (signature.length != 64 && signature.length != 65) return false;
        (bytes32 r, bytes32 s) = abi.decode(signature, (bytes32, bytes32));
        if (signature.length == 65) return ecrecover(digest, uint8(signature[64]), r, s) == owner && owner != address(0);
        uint8 v = uint8(uint256(s) >> 255) + 27;
        return ecrecover(digest, v, r, bytes32((uint256(s) << 1) >> 1)) == owner && owner != address(0);
    }
}
