// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @title A token with EIP-2612 permits and EIP-3009 transfers, for local chains and tests only.
/// @dev Does what the most used token of this kind does: it asks an account with code about a signature (ERC-1271), and the
/// key of any other account. So an account with delegated code (EIP-7702) signs by its code only.
contract SigningToken is TestToken {
    error WrongSignature();
    error OutsideItsTime();
    error NonceUsed();
    error CallerIsNotPayee();

    bytes32 private constant RECEIVE_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    mapping(address account => uint256) public nonces;
    mapping(address account => mapping(bytes32 nonce => bool)) public authorizationState;
    string public version;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, string memory version_)
        TestToken(name_, symbol_, decimals_)
    {
        version = version_;
    }

    function DOMAIN_SEPARATOR() public view virtual returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256(bytes(version)),
                block.chainid,
                address(this)
            )
        );
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        permit(owner, spender, value, deadline, abi.encodePacked(r, s, v));
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature)
        public
        virtual
    {
        if (block.timestamp > deadline) revert OutsideItsTime();
        _requireSigned(
            owner, keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, nonces[owner]++, deadline)), signature
        );
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        receiveWithAuthorization(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public virtual {
        if (!_mayTake(to)) revert CallerIsNotPayee();
        if (block.timestamp <= validAfter || block.timestamp >= validBefore) revert OutsideItsTime();
        if (authorizationState[from][nonce]) revert NonceUsed();
        _requireSigned(
            from, keccak256(abi.encode(RECEIVE_TYPEHASH, from, to, value, validAfter, validBefore, nonce)), signature
        );
        authorizationState[from][nonce] = true;
        _move(from, to, value);
    }

    function _mayTake(address to) internal view virtual returns (bool) {
        return msg.sender == to;
    }

    function _requireSigned(address signer, bytes32 structHash, bytes memory signature) private view {
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), structHash));
        if (!_isSigned(signer, digest, signature)) revert WrongSignature();
    }

    function _isSigned(address signer, bytes32 digest, bytes memory signature) internal view virtual returns (bool) {
        return signer.code.length == 0 ? _isByKey(signer, digest, signature) : _isByCode(signer, digest, signature);
    }

    function _isByKey(address signer, bytes32 digest, bytes memory signature) internal pure returns (bool) {
        if (signature.length != 65) return false;
        (bytes32 r, bytes32 s) = abi.decode(signature, (bytes32, bytes32));
        return signer != address(0) && ecrecover(digest, uint8(signature[64]), r, s) == signer;
    }

    function _isByCode(address signer, bytes32 digest, bytes memory signature) private view returns (bool) {
        (bool success, bytes memory answer) =
            signer.staticcall(abi.encodeWithSignature("isValidSignature(bytes32,bytes)", digest, signature));
        return success && answer.length >= 32 && abi.decode(answer, (bytes32)) == bytes32(bytes4(0x1626ba7e));
    }
}

/// @title Burns one percent of every transfer.
contract SigningFeeToken is SigningToken("Signing fee", "SFEE", 18, "1") {
    function _move(address from, address to, uint256 value) internal override {
        super._move(from, to, value - value / 100);
        if (value >= 100) super._move(from, address(0xdead), value / 100);
    }
}

/// @title Lets anybody pass on what was signed for the payee, who then knows nothing of it.
contract CarelessToken is SigningToken("Careless", "CARE", 18, "1") {
    function _mayTake(address) internal pure override returns (bool) {
        return true;
    }
}

/// @title Checks every signature, and then moves nothing and allows nothing.
contract IdleToken is SigningToken("Idle", "IDLE", 18, "1") {
    function _move(address, address, uint256) internal override {}

    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature)
        public
        override
    {
        super.permit(owner, spender, value, deadline, signature);
        allowance[owner][spender] = 0;
    }
}

/// @title Knows only the standards' v, r and s, and asks only the key, as older tokens do: code cannot sign.
contract KeyToken is SigningToken("Key", "KEY", 18, "1") {
    function _isSigned(address signer, bytes32 digest, bytes memory signature) internal pure override returns (bool) {
        return _isByKey(signer, digest, signature);
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature)
        public
        override
    {
        if (msg.sig != bytes4(keccak256("permit(address,address,uint256,uint256,uint8,bytes32,bytes32)"))) revert();
        super.permit(owner, spender, value, deadline, signature);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public override {
        bytes4 byKey = bytes4(
            keccak256(
                "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)"
            )
        );
        if (msg.sig != byKey) revert();
        super.receiveWithAuthorization(from, to, value, validAfter, validBefore, nonce, signature);
    }
}

/// @title Has its chain in the salt of its domain, as bridged tokens of Polygon have.
contract SaltedToken is SigningToken("Bridged", "SALT", 6, "1") {
    function DOMAIN_SEPARATOR() public view override returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,address verifyingContract,bytes32 salt)"),
                keccak256(bytes(name)),
                keccak256(bytes(version)),
                address(this),
                bytes32(block.chainid)
            )
        );
    }
}

/// @title Takes back one unit whenever a transfer by signature should bring some.
contract DrainingToken is SigningToken("Draining", "DRAIN", 18, "1") {
    function receiveWithAuthorization(
        address from,
        address to,
        uint256,
        uint256,
        uint256,
        bytes32 nonce,
        bytes memory
    ) public override {
        authorizationState[from][nonce] = true;
        _move(to, address(0xdead), 1);
    }
}

/// @title Takes every call that it does not know for a payment, as the token of wrapped ether does.
contract FallbackToken is TestToken("Fallback", "FALL", 18) {
    fallback() external {}
}

/// @title Keeps its word until it is switched not to.
contract FickleToken is SigningToken("Fickle", "FICKLE", 18, "1") {
    bool private _broken;

    function setBroken(bool broken) external {
        _broken = broken;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (_broken) revert WrongSignature();
        super._move(from, to, value);
    }
}
