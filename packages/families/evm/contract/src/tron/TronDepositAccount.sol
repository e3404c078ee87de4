// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {DepositAccount} from "../DepositAccount.sol";

/// @title The code of `DepositAccount` as it is compiled for Tron, of which deposit addresses are hashes.
contract TronDepositAccount is DepositAccount {
    constructor() DepositAccount() {}
}
