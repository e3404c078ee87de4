// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Functions, events and errors that all hash time-locked contracts of this folder share.
/// @notice An order is its parameters, which every call repeats; a wrong one names another order:
///  - initiator: the account that gets the money back when the order is refunded
///  - redeemer: the account that gets the money when the secret is shown
///  - timelock: seconds from the block of initiation until a refund is possible
///  - amount: the locked money, in the units of the contract
///  - secretHash: SHA-256 of the 32-byte secret
/// How an order is initiated depends on what is locked: see the contracts.
interface IHtlc {
    /// @dev One order of a batch; all orders of a batch share the redeemer.
    struct Redemption {
        address initiator;
        uint256 timelock;
        uint256 amount;
        bytes32 secret;
    }

    /// @notice An order was opened, and its amount is locked.
    /// @param orderId See `orderId`.
    event Initiated(
        bytes32 indexed orderId,
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash
    );

    /// @notice The redeemer was paid.
    /// @dev Later events carry only what is new: the order id stands for the rest, and each topic costs 375 gas.
    /// @param orderId See `orderId`.
    event Redeemed(bytes32 indexed orderId, bytes32 secret);

    /// @notice The initiator was paid back.
    /// @param orderId See `orderId`.
    event Refunded(bytes32 indexed orderId);

    /// @notice The initiator blocked an order before it was opened. Nothing was locked or paid.
    /// @param orderId See `orderId`.
    event Revoked(bytes32 indexed orderId);

    error HTLC__ZeroAddressInitiator();
    error HTLC__ZeroAddressRedeemer();
    error HTLC__SameInitiatorAndRedeemer();
    /// @notice This contract cannot be the redeemer: the money could never leave it.
    error HTLC__RedeemerIsHtlc();
    /// @notice The timelock is zero or longer than 30 days.
    error HTLC__InvalidTimelock();
    error HTLC__ZeroAmount();
    /// @notice An order with exactly these parameters exists or existed, or its initiator has revoked it.
    error HTLC__DuplicateOrder();
    /// @notice No order has these parameters; a wrong secret is the usual reason.
    error HTLC__OrderNotInitiated();
    /// @notice The order was redeemed, refunded or revoked before.
    error HTLC__OrderSettled();
    error HTLC__OrderNotExpired();
    /// @notice Less than the amount of the order arrived.
    error HTLC__AmountNotReceived();

    /// @notice Pays the redeemer. Anyone may call: the secret decides, and the payee is part of the order.
    /// @dev Stays possible after expiry until a refund lands, so a late redemption of a known secret still works.
    function redeem(address initiator, address redeemer, uint256 timelock, uint256 amount, bytes32 secret) external;

    /// @notice Redeems many orders of one redeemer with one transfer.
    /// @dev Skips orders that are not open instead of reverting: an item that somebody else settled meanwhile, or a
    /// wrong one, must not block the rest.
    /// @param redemptions The other parameters of each order.
    /// @return total The amount that the redeemer was paid; zero when no item was open.
    function redeemBatch(address redeemer, Redemption[] calldata redemptions) external returns (uint256 total);

    /// @notice Pays the initiator back once the timelock has passed. Anyone may call.
    function refund(address initiator, address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash)
        external;

    /// @notice Pays the initiator back at once, with the consent of the redeemer.
    /// @param signature The redeemer's EIP-712 signature of Refund(orderId); ignored when the redeemer calls.
    function instantRefund(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        bytes calldata signature
    ) external;

    /// @notice Blocks an order of the caller for ever, if it was never opened. This withdraws a signed Initiate, which has
    /// no deadline. Moves nothing.
    function revoke(address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash) external;

    /// @notice The token this contract locks; the zero address stands for the native coin.
    function token() external view returns (address);

    /// @notice 0: never initiated; 1: redeemed; 2: refunded or revoked; otherwise open, and the block timestamp of
    /// initiation.
    /// @param id See `orderId`.
    function initiatedAt(bytes32 id) external view returns (uint256);

    /// @notice keccak256(abi.encode(chain id of the deployment, this contract, initiator, redeemer, timelock, amount, secretHash)).
    /// @dev Depends on nothing but the parameters, so both parties know the id before anything is on the chain.
    function orderId(address initiator, address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash)
        external
        view
        returns (bytes32 id);
}
