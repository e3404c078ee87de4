// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Moving money out of and into a contract, with every way of failing turned into one revert.
/// @dev A token call succeeded when it did not revert AND it returned true, or returned nothing from an address
/// that has code: tokens in wide use return nothing, others return false instead of reverting. Answers are read
/// up to 32 bytes, so a recipient or token cannot charge the caller for copying a long one.
library Transfers {
    /// @notice The token or the recipient refused the transfer.
    error HTLC__TransferFailed();

    /// @dev transferFrom(from, this contract, amount) between two balanceOf(this contract).
    /// @param token The token.
    /// @param from The account whose tokens are taken.
    /// @param amount In the smallest unit of the token.
    /// @return received By how much the balance grew; zero when it shrank.
    function pull(address token, address from, uint256 amount) internal returns (uint256 received) {
        return _pull(token, from, amount, 1);
    }

    /// @dev The same for a token whose answer proves nothing: only the balance counts.
    /// @param token The token.
    /// @param from The account whose tokens are taken.
    /// @param amount In the smallest unit of the token.
    /// @return received By how much the balance grew; zero when it shrank.
    function pullUnanswered(address token, address from, uint256 amount) internal returns (uint256 received) {
        return _pull(token, from, amount, 0);
    }

    /// @dev `answers`: 1 if the answer of the transfer counts, else 0.
    function _pull(address token, address from, uint256 amount, uint256 answers) private returns (uint256 received) {
        bool success;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            // The calldata of balanceOf stays in scratch memory, because it is used twice.
            mstore(0x00, 0x70a0823100000000000000000000000000000000000000000000000000000000)
            mstore(0x04, address())
            success := staticcall(gas(), token, 0x00, 0x24, pointer, 0x20)
            success := and(success, gt(returndatasize(), 0x1f))
            let balanceBefore := mload(pointer)

            mstore(pointer, 0x23b872dd00000000000000000000000000000000000000000000000000000000)
            mstore(add(pointer, 0x04), from)
            mstore(add(pointer, 0x24), address())
            mstore(add(pointer, 0x44), amount)
            success := and(success, call(gas(), token, 0, pointer, 0x64, pointer, 0x20))
            if mul(answers, returndatasize()) {
                success := and(success, and(gt(returndatasize(), 0x1f), eq(mload(pointer), 1)))
            }

            // Answers only if there is code, which is why an empty answer to the transfer was acceptable.
            success := and(success, staticcall(gas(), token, 0x00, 0x24, pointer, 0x20))
            success := and(success, gt(returndatasize(), 0x1f))
            let balanceAfter := mload(pointer)
            received := mul(gt(balanceAfter, balanceBefore), sub(balanceAfter, balanceBefore))
        }
        if (!success) revert HTLC__TransferFailed();
    }

    /// @dev A call that makes tokens arrive, between two balanceOf(this contract). What it answers proves nothing.
    /// @param token The token.
    /// @param target The contract that is called.
    /// @param data The calldata.
    /// @return received By how much the balance grew; zero when it shrank.
    function pullBy(address token, address target, bytes memory data) internal returns (uint256 received) {
        bool success;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(0x00, 0x70a0823100000000000000000000000000000000000000000000000000000000)
            mstore(0x04, address())
            success := staticcall(gas(), token, 0x00, 0x24, pointer, 0x20)
            success := and(success, gt(returndatasize(), 0x1f))
            let heldBefore := mload(pointer)

            success := and(success, call(gas(), target, 0, add(data, 0x20), mload(data), 0x00, 0x00))

            success := and(success, staticcall(gas(), token, 0x00, 0x24, pointer, 0x20))
            success := and(success, gt(returndatasize(), 0x1f))
            let heldAfter := mload(pointer)
            received := mul(gt(heldAfter, heldBefore), sub(heldAfter, heldBefore))
        }
        if (!success) revert HTLC__TransferFailed();
    }

    /// @dev balanceOf(owner), from an address that has code.
    /// @param token The token.
    /// @param owner Any account.
    /// @return held In the smallest unit of the token.
    function balanceOf(address token, address owner) internal view returns (uint256 held) {
        bool success;
        assembly ("memory-safe") {
            mstore(0x00, 0x70a0823100000000000000000000000000000000000000000000000000000000)
            // An address that was computed may have other bits above its 160.
            mstore(0x10, shl(96, owner))
            success := staticcall(gas(), token, 0x00, 0x24, 0x00, 0x20)
            success := and(success, gt(returndatasize(), 0x1f))
            held := mload(0x00)
        }
        if (!success) revert HTLC__TransferFailed();
    }

    /// @dev A view call.
    /// @param target The contract that is called.
    /// @param data The calldata.
    /// @return answer The first word of the answer; zero if there is none.
    function ask(address target, bytes memory data) internal view returns (uint256 answer) {
        assembly ("memory-safe") {
            let success := staticcall(gas(), target, add(data, 0x20), mload(data), 0x00, 0x20)
            answer := mul(mload(0x00), and(success, gt(returndatasize(), 0x1f)))
        }
    }

    /// @dev A call that may fail.
    /// @param target The contract that is called.
    /// @param data The calldata.
    function attempt(address target, bytes memory data) internal {
        assembly ("memory-safe") {
            pop(call(gas(), target, 0, add(data, 0x20), mload(data), 0x00, 0x00))
        }
    }

    /// @dev transfer(to, amount)
    /// @param token The token.
    /// @param to The account that is paid.
    /// @param amount In the smallest unit of the token.
    function push(address token, address to, uint256 amount) internal {
        bool success;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, 0xa9059cbb00000000000000000000000000000000000000000000000000000000)
            mstore(add(pointer, 0x04), to)
            mstore(add(pointer, 0x24), amount)
            success := call(gas(), token, 0, pointer, 0x44, 0x00, 0x20)
            switch returndatasize()
            case 0 { success := and(success, gt(extcodesize(token), 0)) }
            default { success := and(success, and(gt(returndatasize(), 0x1f), eq(mload(0x00), 1))) }
        }
        if (!success) revert HTLC__TransferFailed();
    }

    /// @dev transfer(to, amount) between two balanceOf(this contract), for a token whose answer proves nothing: the balance
    /// must shrink by exactly the amount.
    /// @param token The token.
    /// @param to The account that is paid.
    /// @param amount In the smallest unit of the token.
    function pushUnanswered(address token, address to, uint256 amount) internal {
        bool success;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(0x00, 0x70a0823100000000000000000000000000000000000000000000000000000000)
            mstore(0x04, address())
            success := staticcall(gas(), token, 0x00, 0x24, pointer, 0x20)
            success := and(success, gt(returndatasize(), 0x1f))
            let balanceBefore := mload(pointer)

            mstore(pointer, 0xa9059cbb00000000000000000000000000000000000000000000000000000000)
            mstore(add(pointer, 0x04), to)
            mstore(add(pointer, 0x24), amount)
            success := and(success, call(gas(), token, 0, pointer, 0x44, 0x00, 0x00))

            success := and(success, staticcall(gas(), token, 0x00, 0x24, pointer, 0x20))
            success := and(success, gt(returndatasize(), 0x1f))
            let balanceAfter := mload(pointer)
            // Wraps around if the balance has grown, and then is no amount of an order.
            success := and(success, eq(sub(balanceBefore, balanceAfter), amount))
        }
        if (!success) revert HTLC__TransferFailed();
    }

    /// @dev transfer(to, amount) that must not revert. The caller measures what moved: the answer proves nothing.
    /// @param token The token.
    /// @param to The account that is paid.
    /// @param amount In the smallest unit of the token.
    function pushUnmeasured(address token, address to, uint256 amount) internal {
        bool success;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, 0xa9059cbb00000000000000000000000000000000000000000000000000000000)
            mstore(add(pointer, 0x04), to)
            mstore(add(pointer, 0x24), amount)
            success := call(gas(), token, 0, pointer, 0x44, 0x00, 0x00)
        }
        if (!success) revert HTLC__TransferFailed();
    }

    /// @dev Forwards all gas: smart accounts need it, and callers have written their state before they pay.
    /// @param to The account that is paid.
    /// @param amount In the smallest unit of the coin.
    function pushNative(address to, uint256 amount) internal {
        bool success;
        assembly ("memory-safe") {
            success := call(gas(), to, amount, 0, 0, 0, 0)
        }
        if (!success) revert HTLC__TransferFailed();
    }

    /// @dev Coin that the recipient may refuse. Nothing of its answer is read.
    /// @param to The account that is offered the coin.
    /// @param amount In the smallest unit of the coin.
    /// @param gasLimit The recipient's code can burn so much, and what the machine adds to a call with value.
    /// @return taken Whether the recipient has taken it.
    function offerNative(address to, uint256 amount, uint256 gasLimit) internal returns (bool taken) {
        assembly ("memory-safe") {
            taken := call(gasLimit, to, amount, 0, 0, 0, 0)
        }
    }
}
