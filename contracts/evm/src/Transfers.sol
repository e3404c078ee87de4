// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Moving money out of and into a contract, with every way of failing turned into one revert.
/// @dev A token call succeeded when it did not revert AND it returned true, or returned nothing from an address
/// that has code: tokens in wide use return nothing, others return false instead of reverting. Answers are read
/// up to 32 bytes, so a recipient or token cannot charge the caller for copying a long one.
library Transfers {
    /// @notice The token or the recipient refused the transfer.
    error HTLC__TransferFailed();

    /// @dev transferFrom(from, this contract, amount)
    function pull(address token, address from, uint256 amount) internal {
        bool success;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, 0x23b872dd00000000000000000000000000000000000000000000000000000000)
            mstore(add(pointer, 4), from)
            mstore(add(pointer, 36), address())
            mstore(add(pointer, 68), amount)
            success := call(gas(), token, 0, pointer, 100, 0, 32)
        }
        if (!success || !_acceptedAnswer(token)) revert HTLC__TransferFailed();
    }

    /// @dev transfer(to, amount)
    function push(address token, address to, uint256 amount) internal {
        bool success;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, 0xa9059cbb00000000000000000000000000000000000000000000000000000000)
            mstore(add(pointer, 4), to)
            mstore(add(pointer, 36), amount)
            success := call(gas(), token, 0, pointer, 68, 0, 32)
        }
        if (!success || !_acceptedAnswer(token)) revert HTLC__TransferFailed();
    }

    /// @dev Forwards all gas: smart accounts need it, and callers have written their state before they pay.
    function pushNative(address to, uint256 amount) internal {
        bool success;
        assembly ("memory-safe") {
            success := call(gas(), to, amount, 0, 0, 0, 0)
        }
        if (!success) revert HTLC__TransferFailed();
    }

    /// @dev balanceOf(this contract)
    function balance(address token) internal view returns (uint256 amount) {
        bool success;
        assembly ("memory-safe") {
            mstore(0, 0x70a0823100000000000000000000000000000000000000000000000000000000)
            mstore(4, address())
            success := staticcall(gas(), token, 0, 36, 0, 32)
            success := and(success, gt(returndatasize(), 31))
            amount := mload(0)
        }
        if (!success) revert HTLC__TransferFailed();
    }

    /// @dev Reads the answer of the call made just before, which that call left in scratch memory.
    function _acceptedAnswer(address token) private view returns (bool accepted) {
        assembly ("memory-safe") {
            switch returndatasize()
            case 0 { accepted := gt(extcodesize(token), 0) }
            default { accepted := and(gt(returndatasize(), 31), eq(mload(0), 1)) }
        }
    }
}
