// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IHtlc} from "./IHtlc.sol";
import {Signatures} from "./Signatures.sol";

/// @title Hash time-locked contract: pays the redeemer once a secret is shown, or the initiator after a timelock.
/// @notice No owner, no upgrade, no pause, no fee: what the parameters of an order say is all that can happen.
/// @dev An order lives in one storage slot, keyed by a hash over all of its parameters. Callers repeat the
/// parameters, and a wrong one leads to a slot that was never written.
///
/// Invariants:
/// 1. The contract holds at least the sum of the amounts of all open orders.
/// 2. An order is paid out once, either to its redeemer or to its initiator.
/// 3. A slot never returns to zero. The Initiate signature has no nonce and no deadline, so this is what keeps it
///    from being used a second time after its order was settled, or at all after its order was revoked.
/// 4. Every state change precedes the transfer it permits, so re-entering finds the order already settled.
abstract contract Htlc is IHtlc, Signatures {
    /// A longer timelock is most likely a mistake of units, and would lock money for long.
    uint256 private constant MAX_TIMELOCK = 30 days;

    /// Marks of settled orders; a revoked one is marked as refunded. Block timestamps are far above them, so one slot distinguishes all four states.
    uint256 private constant REDEEMED = 1;
    uint256 private constant REFUNDED = 2;

    bytes32 internal constant INITIATE_TYPEHASH =
        keccak256("Initiate(address redeemer,uint256 timelock,uint256 amount,bytes32 secretHash)");
    bytes32 private constant REFUND_TYPEHASH = keccak256("Refund(bytes32 orderId)");

    /// @dev Redeems an order, and then runs the function. A modifier is copied into each function that has it: a call of a shared
    /// function would make every redeem dearer.
    modifier redeeming(address initiator, address redeemer, uint256 timelock, uint256 amount, bytes32 secret) {
        bytes32 secretHash = _sha256(secret);
        bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);
        _requireOpen(id);
        _settleByRedeeming(id, secret);
        _pay(redeemer, amount);
        _;
    }

    /// @inheritdoc IHtlc
    function redeem(address initiator, address redeemer, uint256 timelock, uint256 amount, bytes32 secret)
        external
        redeeming(initiator, redeemer, timelock, amount, secret)
    {}

    /// @inheritdoc IHtlc
    function redeemBatch(address redeemer, Redemption[] calldata redemptions) external returns (uint256 total) {
        for (uint256 i = 0; i < redemptions.length; ++i) {
            Redemption calldata item = redemptions[i];
            bytes32 secretHash = _sha256(item.secret);
            bytes32 id = orderId(item.initiator, redeemer, item.timelock, item.amount, secretHash);
            if (_state(id) <= REFUNDED) continue;
            _settleByRedeeming(id, item.secret);
            total += item.amount;
        }
        if (total != 0) _pay(redeemer, total);
    }

    /// @inheritdoc IHtlc
    function refund(address initiator, address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash)
        external
    {
        bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);
        unchecked {
            // An order was opened in this block or in an earlier one.
            if (block.timestamp - _requireOpen(id) < timelock) revert HTLC__OrderNotExpired();
        }
        _settleByRefunding(id);
        _pay(initiator, amount);
    }

    /// @inheritdoc IHtlc
    function instantRefund(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        bytes calldata signature
    ) external {
        bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);
        _requireOpen(id);
        if (msg.sender != redeemer) {
            _requireSignature(redeemer, _typedDataDigest(_refundHash(id)), signature);
        }
        _settleByRefunding(id);
        _pay(initiator, amount);
    }

    /// @inheritdoc IHtlc
    function revoke(address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash) external {
        bytes32 id = orderId(msg.sender, redeemer, timelock, amount, secretHash);
        if (_state(id) != 0) revert HTLC__DuplicateOrder();
        _setState(id, REFUNDED);
        emit Revoked(id);
    }

    /// @inheritdoc IHtlc
    function initiatedAt(bytes32 id) external view returns (uint256) {
        return _state(id);
    }

    /// @inheritdoc IHtlc
    function orderId(address initiator, address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash)
        public
        view
        returns (bytes32 id)
    {
        uint256 pointer = _encode(initiator, redeemer, timelock, amount, secretHash);
        assembly ("memory-safe") {
            id := keccak256(pointer, 0xe0)
        }
    }

    /// @dev The preimage of an order id, in free memory: abi.encode would allocate, and callers use these words
    /// before anything else is written there.
    function _encode(address initiator, address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash)
        private
        view
        returns (uint256 pointer)
    {
        // The chain id of the deployment: a chain that changes its id must not lock open orders for ever.
        uint256 chainId = _deployedChainId;
        assembly ("memory-safe") {
            pointer := mload(0x40)
            mstore(pointer, chainId)
            mstore(add(pointer, 0x20), address())
            mstore(add(pointer, 0x40), initiator)
            mstore(add(pointer, 0x60), redeemer)
            mstore(add(pointer, 0x80), timelock)
            mstore(add(pointer, 0xa0), amount)
            mstore(add(pointer, 0xc0), secretHash)
        }
    }

    /// @dev Stores the order. The caller makes sure that the money arrives in the same transaction.
    function _open(address initiator, address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash)
        internal
        virtual
    {
        if (redeemer == address(0)) revert HTLC__ZeroAddressRedeemer();
        if (initiator == redeemer) revert HTLC__SameInitiatorAndRedeemer();
        if (redeemer == address(this)) revert HTLC__RedeemerIsHtlc();
        unchecked {
            // Zero wraps around to the largest number, so one comparison covers both ends.
            if (timelock - 1 >= MAX_TIMELOCK) revert HTLC__InvalidTimelock();
        }
        if (amount == 0) revert HTLC__ZeroAmount();

        uint256 pointer = _encode(initiator, redeemer, timelock, amount, secretHash);
        bytes32 id;
        assembly ("memory-safe") {
            id := keccak256(pointer, 0xe0)
        }
        if (_state(id) != 0) revert HTLC__DuplicateOrder();
        _setState(id, block.timestamp);
        bytes32 topic = Initiated.selector;
        // emit Initiated(id, initiator, redeemer, timelock, amount, secretHash): its data are the last five words of
        // what was just hashed, so they need not be laid out again.
        assembly ("memory-safe") {
            log2(add(pointer, 0x40), 0xa0, topic, id)
        }
    }

    /// @dev keccak256(abi.encode(INITIATE_TYPEHASH, redeemer, timelock, amount, secretHash)) without allocating memory.
    function _initiateHash(address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash)
        internal
        pure
        returns (bytes32 structHash)
    {
        bytes32 typeHash = INITIATE_TYPEHASH;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, typeHash)
            mstore(add(pointer, 0x20), redeemer)
            mstore(add(pointer, 0x40), timelock)
            mstore(add(pointer, 0x60), amount)
            mstore(add(pointer, 0x80), secretHash)
            structHash := keccak256(pointer, 0xa0)
        }
    }

    /// @dev Moves the amount of an order that was just settled to its payee.
    function _pay(address to, uint256 amount) internal virtual;

    function _requireOpen(bytes32 id) private view returns (uint256 openedAt) {
        openedAt = _state(id);
        if (openedAt <= REFUNDED) {
            if (openedAt == 0) revert HTLC__OrderNotInitiated();
            revert HTLC__OrderSettled();
        }
    }

    /// @dev keccak256(abi.encode(REFUND_TYPEHASH, id)) without allocating memory.
    function _refundHash(bytes32 id) private pure returns (bytes32 structHash) {
        bytes32 typeHash = REFUND_TYPEHASH;
        assembly ("memory-safe") {
            mstore(0x00, typeHash)
            mstore(0x20, id)
            structHash := keccak256(0x00, 0x40)
        }
    }

    function _settleByRedeeming(bytes32 id, bytes32 secret) private {
        _setState(id, REDEEMED);
        emit Redeemed(id, secret);
    }

    function _settleByRefunding(bytes32 id) private {
        _setState(id, REFUNDED);
        emit Refunded(id);
    }

    /// @dev The id is the number of the slot. It is a hash already, and this contract has no other storage that it
    /// could meet, so hashing it once more for a mapping would only cost gas.
    function _state(bytes32 id) internal view returns (uint256 state) {
        assembly ("memory-safe") {
            state := sload(id)
        }
    }

    function _setState(bytes32 id, uint256 state) private {
        assembly ("memory-safe") {
            sstore(id, state)
        }
    }

    /// @dev sha256(abi.encodePacked(secret)) without allocating memory.
    function _sha256(bytes32 secret) private view returns (bytes32 secretHash) {
        assembly ("memory-safe") {
            mstore(0, secret)
            if iszero(staticcall(gas(), 2, 0, 32, 0, 32)) { revert(0, 0) }
            secretHash := mload(0)
        }
    }
}
