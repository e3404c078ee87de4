// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Transfers} from "../Transfers.sol";
import {HyperCore} from "./HyperCore.sol";

/// @title Acts once for the account that an owner has at an HTLC, on both sides, and destroys itself.
/// @dev Exists within one transaction: EIP-6780 removes a contract that is destroyed in the transaction that created
/// it. The address can therefore hold money before and after, and act any number of times, once in a transaction. It has no
/// code of its own that anyone could call: the HTLC alone can create it, and `accountTask` says what to do.
contract CoreAccount {
    constructor() payable {
        ICoreAccountTask.Task memory task = ICoreAccountTask(msg.sender).accountTask();
        if (task.evmAmount != 0) Transfers.push(task.token, msg.sender, task.evmAmount);
        // "HYPE can be sent to 0x222..2": HyperCore credits the sender, before it runs the actions of the same block.
        if (msg.value != 0) Transfers.pushNative(HyperCore.HYPE_BRIDGE, msg.value);
        if (task.coreAmount != 0 && !HyperCore.spotSend(task.coreTo, task.coreToken, task.coreAmount)) {
            revert ICoreAccountTask.HTLC__ActionRefused();
        }
        // Returns native coin that was sent here by mistake.
        selfdestruct(payable(task.owner));
    }
}

interface ICoreAccountTask {
    /// @notice HyperCore did not take the action of an account.
    error HTLC__ActionRefused();

    /// @param owner The owner of the account.
    /// @param token The ERC-20.
    /// @param evmAmount The amount of it that goes to the HTLC.
    /// @param coreTo The account that gets money of this one on HyperCore.
    /// @param coreToken The index there of the token that it gets.
    /// @param coreAmount The amount that it gets, in the units of HyperCore.
    struct Task {
        address owner;
        address token;
        uint256 evmAmount;
        address coreTo;
        uint64 coreToken;
        uint64 coreAmount;
    }

    /// @notice The task of the account in this transaction.
    function accountTask() external view returns (Task memory);
}
