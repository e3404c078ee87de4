// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {GasWithPayout} from "../GasWithPayout.sol";
import {Htlc} from "../Htlc.sol";
import {HtlcToken} from "../HtlcToken.sol";
import {Transfers} from "../Transfers.sol";
import {StoredDeposits} from "./StoredDeposits.sol";

/// @title Hash time-locked contract for one TRC-20 token of Tron.
/// @dev Tether on Tron returns false from a transfer that succeeded, so return values prove nothing here: a transfer
/// succeeded if it did not revert and the balance of this contract changed by the amount.
contract HtlcTrc20 is GasWithPayout, StoredDeposits {
    /// @notice `tryPayout` reverts with this when the payout would succeed.
    error HTLC__PayoutWouldSucceed();

    /// @param token_ The token that is locked.
    constructor(address token_) HtlcToken(token_) {}

    /// @notice Makes a payout and always reverts: lets a node simulate a payout before the secret is shown. A simulated
    /// transfer cannot do that, because its return value means nothing.
    /// @param to The account that would be paid.
    /// @param amount In the smallest unit of the token.
    function tryPayout(address to, uint256 amount) external {
        _pay(to, amount);
        revert HTLC__PayoutWouldSucceed();
    }

    function _collect(address from, uint256 amount) internal override {
        if (Transfers.pullUnanswered(_token, from, amount) < amount) revert HTLC__AmountNotReceived();
    }

    function _asset() internal view override returns (address) {
        return _token;
    }

    function _isForeign(address token_) internal view override returns (bool) {
        return token_ != _token;
    }

    /// @dev Measures what left this contract, not what arrived: if the token introduces a fee, open orders must not be
    /// locked for ever.
    function _pay(address to, uint256 amount) internal override(Htlc, HtlcToken) {
        Transfers.pushUnanswered(_token, to, amount);
    }
}
