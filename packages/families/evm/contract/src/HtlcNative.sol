// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IHtlc} from "./IHtlc.sol";
import {Transfers} from "./Transfers.sol";
import {TransientDeposits} from "./TransientDeposits.sol";

/// @title Hash time-locked contract for the native coin.
/// @notice Amounts are in the smallest unit of the coin.
/// @dev There is no signed initiation: a signature cannot move native coin out of an account. Plain transfers to
/// this contract are refused, because no order would account for them.
contract HtlcNative is TransientDeposits {
    /// @notice The value of the call is not the amount of the order.
    error HTLC__WrongValue();

    /// A deposit account is about to pay for the order that was just opened. No other code runs meanwhile.
    bool private transient _isTakingDeposit;

    receive() external payable {
        if (!_isTakingDeposit) revert HTLC__WrongValue();
    }

    /// @notice Locks the value of the call.
    function initiate(address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash) external payable {
        if (msg.value != amount) revert HTLC__WrongValue();
        _open(msg.sender, redeemer, timelock, amount, secretHash);
    }

    /// @notice Locks the value of the call in an order that refunds to another initiator.
    function initiateOnBehalf(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash
    ) external payable {
        if (msg.value != amount) revert HTLC__WrongValue();
        if (initiator == address(0)) revert HTLC__ZeroAddressInitiator();
        _open(initiator, redeemer, timelock, amount, secretHash);
    }

    /// @inheritdoc IHtlc
    function token() external pure override returns (address) {
        return address(0);
    }

    function _takeDeposit(Deposit memory deposit) internal override {
        _isTakingDeposit = true;
        super._takeDeposit(deposit);
        _isTakingDeposit = false;
    }

    function _asset() internal pure override returns (address) {
        return address(0);
    }

    /// @dev Every return moves all native coin.
    function _isForeign(address) internal pure override returns (bool) {
        return false;
    }

    function _pay(address to, uint256 amount) internal override {
        Transfers.pushNative(to, amount);
    }

    function _domainName() internal pure override returns (string memory) {
        return "HTLC-Native";
    }
}
