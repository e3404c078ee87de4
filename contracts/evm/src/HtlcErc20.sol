// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Htlc} from "./Htlc.sol";
import {Transfers} from "./Transfers.sol";

/// @title Hash time-locked contract for one ERC-20 token.
/// @dev One token per contract: a signature is bound to this contract by its domain, hence to this token, and a
/// misbehaving token cannot touch the money of another.
///
/// A token that delivers less than it was asked for (a fee on transfer) cannot be locked: initiation measures what
/// arrived. A token that changes balances by itself (rebasing) or takes its fee from the sender on top breaks
/// invariant 1 from outside and has no place in a registry of assets.
contract HtlcErc20 is Htlc {
    /// @notice The address given to the constructor has no code.
    error HTLC__TokenNotContract();
    /// @notice Less than the amount of the order arrived.
    error HTLC__AmountNotReceived();
    /// @notice The token called back into an initiation in the middle of another.
    error HTLC__Reentered();

    address private immutable _token;

    /// @dev Two measurements around nested transfers would both count the inner one.
    bool private transient _measuring;

    constructor(address token_) {
        if (token_.code.length == 0) revert HTLC__TokenNotContract();
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
    function initiateWithSignature(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        bytes calldata signature
    ) external {
        _requireSignature(
            initiator,
            _typedDataDigest(keccak256(abi.encode(INITIATE_TYPEHASH, redeemer, timelock, amount, secretHash))),
            signature
        );
        _open(initiator, redeemer, timelock, amount, secretHash);
        _collect(initiator, amount);
    }

    /// @inheritdoc Htlc
    function token() external view override returns (address) {
        return _token;
    }

    function _collect(address from, uint256 amount) private {
        if (_measuring) revert HTLC__Reentered();
        _measuring = true;
        uint256 balanceBefore = Transfers.balance(_token);
        Transfers.pull(_token, from, amount);
        if (Transfers.balance(_token) < balanceBefore + amount) revert HTLC__AmountNotReceived();
        _measuring = false;
    }

    function _pay(address to, uint256 amount) internal override {
        Transfers.push(_token, to, amount);
    }

    function _domainName() internal pure override returns (string memory) {
        return "HTLC-ERC20";
    }
}
