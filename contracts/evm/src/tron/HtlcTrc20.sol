// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {HtlcErc20} from "../HtlcErc20.sol";
import {Transfers} from "../Transfers.sol";

/// @title Hash time-locked contract for one TRC-20 token of Tron.
/// @dev Tether on Tron returns false from a transfer that succeeded, so return values prove nothing here: a transfer
/// succeeded if it did not revert and the balance of this contract changed by the amount.
contract HtlcTrc20 is HtlcErc20 {
    /// @notice The answer of `tryPayout` when the payout would succeed.
    error HTLC__PayoutWouldSucceed();

    constructor(address token_) HtlcErc20(token_) {}

    /// @notice Makes a payout and always reverts: lets a node simulate a payout before the secret is shown. A simulated
    /// transfer cannot do that, because its return value means nothing.
    function tryPayout(address to, uint256 amount) external {
        _pay(to, amount);
        revert HTLC__PayoutWouldSucceed();
    }

    function _collect(address from, uint256 amount) internal override {
        uint256 balanceBefore = _balance();
        _callToken(abi.encodeWithSelector(0x23b872dd, from, address(this), amount));
        uint256 balanceAfter = _balance();
        if (balanceAfter < balanceBefore || balanceAfter - balanceBefore < amount) revert HTLC__AmountNotReceived();
    }

    /// @dev Measures what left this contract, not what arrived: if the token introduces a fee, open orders must not be
    /// locked for ever.
    function _pay(address to, uint256 amount) internal override {
        uint256 balanceBefore = _balance();
        _callToken(abi.encodeWithSelector(0xa9059cbb, to, amount));
        uint256 balanceAfter = _balance();
        if (balanceAfter > balanceBefore || balanceBefore - balanceAfter != amount) {
            revert Transfers.HTLC__TransferFailed();
        }
    }

    function _callToken(bytes memory data) private {
        address tokenAddress = _token;
        bool success;
        // Copies no answer, so that a token cannot make the caller pay for a long one.
        assembly ("memory-safe") {
            success := call(gas(), tokenAddress, 0, add(data, 0x20), mload(data), 0, 0)
        }
        if (!success) revert Transfers.HTLC__TransferFailed();
    }

    function _balance() private view returns (uint256 held) {
        address tokenAddress = _token;
        bytes memory data = abi.encodeWithSelector(0x70a08231, address(this));
        bool success;
        assembly ("memory-safe") {
            success := staticcall(gas(), tokenAddress, add(data, 0x20), mload(data), 0, 0x20)
            success := and(success, gt(returndatasize(), 0x1f))
            held := mload(0)
        }
        if (!success) revert Transfers.HTLC__TransferFailed();
    }
}
