// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {GasWithPayout} from "./GasWithPayout.sol";
import {HtlcToken} from "./HtlcToken.sol";
import {Transfers} from "./Transfers.sol";
import {TransientDeposits} from "./TransientDeposits.sol";

/// @title Hash time-locked contract for one ERC-20 token.
/// @notice Besides the initiations of all tokens it has three that need no allowance for this contract. Anyone may relay
/// them, and what was signed is good for one order only.
/// @dev The answer of the token or of Permit2 proves nothing: only what arrives counts.
/// A token that does not know EIP-3009 may take a call of receiveWithAuthorization nevertheless, and let a stranger's code run in
/// it. An initiation by that code would be measured twice, so the token must also say that the authorization is used. A lock
/// against all initiations meanwhile would make each of them dearer.
/// A token takes the 65 bytes of a key as v, r and s. Newer ones also take bytes, and ask an account with code about
/// them (ERC-1271). They treat the 65 bytes alike in both forms, so the length decides.
contract HtlcErc20 is GasWithPayout, TransientDeposits {
    /// @dev A signature that a token checks, and the time until which it is good, in Unix seconds.
    struct Timed {
        uint256 deadline;
        bytes signature;
    }

    /// @dev A permit for this contract and exactly the amount of the order, and the signature of Initiate.
    struct PermitAndTerms {
        uint256 deadline;
        bytes permit;
        bytes terms;
    }

    /// CREATE2 gives this address to the code of Permit2 and to no other. On a chain without it nothing arrives.
    address private constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;
    bytes4 private constant PERMIT_WITNESS_TRANSFER_FROM = bytes4(
        keccak256(
            "permitWitnessTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes32,string,bytes)"
        )
    );
    string private constant WITNESS_TYPE =
        "Initiate witness)Initiate(address redeemer,uint256 timelock,uint256 amount,bytes32 secretHash)TokenPermissions(address token,uint256 amount)";

    uint256 private constant KEY_SIGNATURE_LENGTH = 65;

    /// @param token_ The token that is locked.
    constructor(address token_) HtlcToken(token_) {}

    /// @notice Locks the initiator's tokens by its signature of EIP-3009's ReceiveWithAuthorization to this contract, valid
    /// after 0, with the order id as nonce. The nonce binds this contract and every term.
    /// @dev Nobody else can use the signature: the token takes it from its payee only, which is this contract.
    /// @param authorization The initiator's: its deadline is signed as validBefore.
    function initiateByAuthorization(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        Timed calldata authorization
    ) external {
        _open(initiator, redeemer, timelock, amount, secretHash);
        bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);
        _collectBy(_token, _authorizedTransfer(initiator, amount, id, authorization.deadline, authorization.signature), amount);
        bytes memory question = abi.encodeWithSignature("authorizationState(address,bytes32)", initiator, id);
        if (Transfers.ask(_token, question) == 0) revert HTLC__AmountNotReceived();
    }

    /// @notice Locks the initiator's tokens as `initiateWithSignature` does, after a permit.
    /// @dev A permit that fails is ignored: somebody else may have used it before, and then the allowance is there.
    /// @param signed By the initiator.
    function initiateByPermit(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        PermitAndTerms calldata signed
    ) external {
        Transfers.attempt(_token, _tokenPermit(initiator, amount, signed.deadline, signed.permit));
        bytes32 termsHash = _termsHash(redeemer, timelock, amount, secretHash);
        _requireSignature(initiator, _typedDataDigest(termsHash), signed.terms);
        _open(initiator, redeemer, timelock, amount, secretHash);
        _collect(initiator, amount);
    }

    /// @notice Locks the initiator's tokens by its signature of Permit2's PermitWitnessTransferFrom for the amount, with the
    /// order id as nonce and Initiate as witness; needs an allowance for Permit2.
    /// @dev Nobody else can use the signature: it names the caller of Permit2, which is this contract.
    /// @param permit The initiator's: 65 bytes, 64 (EIP-2098), or what its contract accepts (ERC-1271).
    function initiateBySignatureTransfer(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        Timed calldata permit
    ) external {
        _open(initiator, redeemer, timelock, amount, secretHash);
        bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);
        bytes32 witness = _termsHash(redeemer, timelock, amount, secretHash);
        _collectBy(PERMIT2, _witnessTransfer(initiator, amount, id, witness, permit.deadline, permit.signature), amount);
    }

    /// @dev Takes the money of an order that was just opened by a call that makes it arrive.
    function _collectBy(address target, bytes memory data, uint256 amount) private {
        if (Transfers.pullBy(_token, target, data) < amount) revert HTLC__AmountNotReceived();
    }

    function _asset() internal view override returns (address) {
        return _token;
    }

    function _isForeign(address token_) internal view override returns (bool) {
        return token_ != _token;
    }

    /// @dev What `_initiateHash` computes. A second function keeps the first one inlined, which saves gas there.
    function _termsHash(address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash)
        private
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(INITIATE_TYPEHASH, redeemer, timelock, amount, secretHash));
    }

    function _authorizedTransfer(
        address from,
        uint256 amount,
        bytes32 nonce,
        uint256 validBefore,
        bytes calldata signature
    ) private view returns (bytes memory data) {
        if (signature.length != KEY_SIGNATURE_LENGTH) {
            return abi.encodeWithSignature(
                "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
                from,
                address(this),
                amount,
                0,
                validBefore,
                nonce,
                signature
            );
        }
        return abi.encodeWithSignature(
            "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
            from,
            address(this),
            amount,
            0,
            validBefore,
            nonce,
            uint8(signature[64]),
            bytes32(signature[:32]),
            bytes32(signature[32:64])
        );
    }

    function _tokenPermit(address owner, uint256 amount, uint256 deadline, bytes calldata signature)
        private
        view
        returns (bytes memory data)
    {
        if (signature.length != KEY_SIGNATURE_LENGTH) {
            return abi.encodeWithSignature(
                "permit(address,address,uint256,uint256,bytes)", owner, address(this), amount, deadline, signature
            );
        }
        return abi.encodeWithSignature(
            "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
            owner,
            address(this),
            amount,
            deadline,
            uint8(signature[64]),
            bytes32(signature[:32]),
            bytes32(signature[32:64])
        );
    }

    /// @dev A struct of fixed size has the encoding of its fields.
    function _witnessTransfer(
        address owner,
        uint256 amount,
        bytes32 nonce,
        bytes32 witness,
        uint256 deadline,
        bytes calldata signature
    ) private view returns (bytes memory data) {
        return abi.encodeWithSelector(
            PERMIT_WITNESS_TRANSFER_FROM,
            _token,
            amount,
            nonce,
            deadline,
            address(this),
            amount,
            owner,
            witness,
            WITNESS_TYPE,
            signature
        );
    }
}
