// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Transfers} from "../Transfers.sol";

/// @title Empties the address that belongs to one order, and is gone again.
/// @dev Lives within one transaction only: EIP-6780 removes what is destroyed in the transaction that made it. So the
/// address holds tokens before and after, and can be emptied any number of times. Whoever pays into it needs no
/// allowance, and the terms of the order, which are in the address, decide where the money goes.
contract CoreDeposit {
    constructor(IBalance token, address payable initiator) {
        uint256 balance = token.balanceOf(address(this));
        if (balance != 0) Transfers.push(address(token), msg.sender, balance);
        // Native coin that came here by mistake goes to whom it most likely came from.
        selfdestruct(initiator);
    }
}

interface IBalance {
    function balanceOf(address owner) external view returns (uint256);
}
