// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Accounts that exist within one transaction: they act, and destroy themselves.
/// @dev Such an account is removed when the transaction ends, with all native coin that has reached it after it acted. A stranger's
/// code that a batch payout calls could make the account act before the payout pays it. So others act by a transaction
/// of a key without code, and this call is all of it: nothing can pay the account afterwards. Its owner may be a contract, and act
/// in any way, because nobody else's code decides when.
abstract contract BriefAccounts {
    /// @notice Only the owner's contract may do this: others send it from a key without code, as a transaction of its own.
    error HTLC__InsideTransaction();

    /// @param owner Owns what lies at the account that is to act.
    function _requireWholeTransaction(address owner) internal view {
        if (msg.sender != owner && (msg.sender != tx.origin || msg.sender.code.length != 0)) {
            revert HTLC__InsideTransaction();
        }
    }
}
