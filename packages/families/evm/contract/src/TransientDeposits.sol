// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Deposits} from "./Deposits.sol";

/// @title Deposit addresses on chains with transient storage (EIP-1153), in which the task of an account lies.
abstract contract TransientDeposits is Deposits {
    uint256 private transient _who;
    uint256 private transient _what;

    function _giveTask(uint256 who, uint256 what) internal override {
        (_who, _what) = (who, what);
    }

    function _task() internal view override returns (uint256 who, uint256 what) {
        return (_who, _what);
    }
}
