// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Htlc} from "./Htlc.sol";
import {IHtlc} from "./IHtlc.sol";
import {Transfers} from "./Transfers.sol";

/// @title What the hash time-locked contracts for one token share.
/// @notice Amounts are in the smallest unit of the token, unless a contract that inherits from this one says otherwise.
/// @dev One token per contract: a signature is bound to this contract by its domain, hence to this token, and a
/// misbehaving token cannot touch the money of another.
/// The constructor does not ask whether the token exists. Nothing can be locked of one that does not, and so anybody can create
/// the contract on a chain to which money for its deposit addresses was sent by mistake.
///
/// A token that delivers less than it was asked for (a fee on transfer, which some of the most used tokens could
/// switch on) cannot be locked: initiation measures what arrived, for about 1,000 gas.
/// That check does not cover, so this contract does not support: rebasing tokens, tokens that take a fee on top of
/// what they send, and tokens that call the sender back during a transfer while they exempt some senders from
/// their fee (an inner initiation would be measured twice).
abstract contract HtlcToken is Htlc {
    address internal immutable _token;

    /// @param token_ The token that is locked.
    constructor(address token_) {
        _token = token_;
    }

    /// @notice Locks the caller's tokens; needs an allowance for this contract.
    function initiate(address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash) external {
        _open(msg.sender, redeemer, timelock, amount, secretHash);
        _collect(msg.sender, amount);
    }

    /// @notice Locks the caller's tokens in an order that refunds to another initiator.
    function initiateOnBehalf(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash
    ) external {
        if (initiator == address(0)) revert HTLC__ZeroAddressInitiator();
        _open(initiator, redeemer, timelock, amount, secretHash);
        _collect(msg.sender, amount);
    }

    /// @notice Locks the initiator's tokens, which the initiator permitted by signing
    /// Initiate(address redeemer,uint256 timelock,uint256 amount,bytes32 secretHash). Anyone may relay it.
    /// @param signature The initiator's: 65 bytes, 64 (EIP-2098), or what its contract accepts (ERC-1271).
    function initiateWithSignature(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        bytes calldata signature
    ) external {
        bytes32 structHash = _initiateHash(redeemer, timelock, amount, secretHash);
        _requireSignature(initiator, _typedDataDigest(structHash), signature);
        _open(initiator, redeemer, timelock, amount, secretHash);
        _collectSigned(initiator, amount);
    }

    /// @inheritdoc IHtlc
    function token() external view override returns (address) {
        return _token;
    }

    /// @dev Takes the money of an order that was just opened.
    function _collect(address from, uint256 amount) internal virtual {
        if (Transfers.pull(_token, from, amount) < amount) revert HTLC__AmountNotReceived();
    }

    /// @dev Takes the money of an order that was just opened with the signature of its initiator.
    function _collectSigned(address initiator, uint256 amount) internal virtual {
        _collect(initiator, amount);
    }

    function _pay(address to, uint256 amount) internal virtual override {
        Transfers.push(_token, to, amount);
    }

    function _domainName() internal pure override returns (string memory) {
        return "HTLC-ERC20";
    }
}
