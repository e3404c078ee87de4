// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Transfers} from "../Transfers.sol";

/// @title Empties the deposit address of one order, and destroys itself.
/// @dev Exists within one transaction: EIP-6780 removes a contract that is destroyed in the transaction that created
/// it. So the address can hold tokens before and after, and be emptied any number of times. A payer needs no
/// allowance: the address binds the terms of the order, which decide where the money goes.
contract CoreDeposit {
    /// @param token Its whole balance goes to the creator, the HTLC.
    /// @param initiator Gets native coin.
    constructor(IBalance token, address payable initiator) {
        uint256 balance = token.balanceOf(address(this));
        if (balance != 0) Transfers.push(address(token), msg.sender, balance);
        // Native coin that was sent here by mistake goes to the initiator, its most likely sender.
        selfdestruct(initiator);
    }
}

interface IBalance {
    function balanceOf(address owner) external view returns (uint256);
}
