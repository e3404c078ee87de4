// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {HtlcToken} from "./HtlcToken.sol";
import {Transfers} from "./Transfers.sol";

/// @title Redeems of a token that also give some of the chain's coin, for a redeemer that could not pay to move the token.
/// @notice The coin is the value of the call: none of it stays, and no other coin leaves.
abstract contract GasWithPayout is HtlcToken {
    /// Enough for smart accounts that note what they are paid. A hostile one can burn no more of the caller's gas.
    uint256 private constant MAX_GAS_TO_TAKE_COIN = 10_000;

    /// @notice Pays the redeemer as `redeem` does, and then gives it the value of the call. What the redeemer does not take
    /// goes back to the caller, and the payout stands.
    /// @dev The order is settled and paid before the redeemer's code runs.
    /// A caller cannot keep the coin from the redeemer by sending too little gas: after an offer with less than its full
    /// gas, too little is left to give the coin back, and all of it reverts.
    function redeemOfferingCoinForGas(address initiator, address redeemer, uint256 timelock, uint256 amount, bytes32 secret)
        external
        payable
        redeeming(initiator, redeemer, timelock, amount, secret)
    {
        if (!Transfers.offerNative(redeemer, msg.value, MAX_GAS_TO_TAKE_COIN)) {
            Transfers.pushNative(msg.sender, msg.value);
        }
    }
}
