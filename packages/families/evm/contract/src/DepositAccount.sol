// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Transfers} from "./Transfers.sol";

/// @title Acts once for the deposit address of an order, and destroys itself.
/// @dev Exists within one transaction: EIP-6780 removes a contract that is destroyed in the transaction that created it. The
/// address can therefore be paid before and after like any account without code, and act any number of times, once in a
/// transaction. Coin that comes in that transaction after it acted is lost: see `BriefAccounts`. Only the HTLC can create it, and it asks the HTLC what to do before it calls anything else.
/// What the token answers proves nothing: the HTLC measures what moved.
contract DepositAccount {
    constructor() {
        (address owner, address token, uint256 amount) = IDepositAccountTask(msg.sender).presentAccountTask();
        if (amount != 0) {
            if (token == address(0)) Transfers.pushNative(msg.sender, amount);
            else Transfers.pushUnmeasured(token, msg.sender, amount);
        } else if (token != address(0)) {
            Transfers.pushUnmeasured(token, owner, Transfers.balanceOf(token, address(this)));
        }
        // All coin that is left goes to the owner without running code of the owner, who can therefore block nothing.
        selfdestruct(payable(owner));
    }
}

interface IDepositAccountTask {
    /// @notice The task of the account that acts in this transaction. Outside of an act it means nothing.
    /// @return owner The initiator of the order. Gets all native coin that the HTLC does not take.
    /// @return token The token that moves; the zero address stands for the native coin.
    /// @return amount What the HTLC takes; zero if all that there is goes to the owner.
    function presentAccountTask() external view returns (address owner, address token, uint256 amount);
}
