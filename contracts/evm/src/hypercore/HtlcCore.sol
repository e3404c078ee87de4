// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Htlc} from "../Htlc.sol";
import {IHtlc} from "../IHtlc.sol";
import {Transfers} from "../Transfers.sol";
import {CoreDeposit, IBalance} from "./CoreDeposit.sol";
import {HyperCore} from "./HyperCore.sol";

/// @title Hash time-locked contract on HyperEVM for a token of HyperCore: money comes from spot accounts and goes there.
/// @notice Amounts of orders are in the units of HyperCore, of which one is `evmPerCore` units of the ERC-20: there is
/// no dust that one side can hold and the other cannot.
/// @dev A payout crosses to HyperCore in two steps that fail silently: the ERC-20 goes to the token's system
/// address, which credits this contract there, and an action of this contract forwards it. It is tried only when
/// neither step can fail; otherwise the payee gets the ERC-20 on HyperEVM. What could fail, and what prevents it:
///  - this contract has no account on HyperCore, so it cannot act: `exists(this)`
///  - the payee has none, so sending would cost a fee that this contract cannot pay: `exists(payee)`
///  - the bridge has less on HyperCore than could cross, so that what crosses may be lost: `_isBacked`
///  - the amount does not fit into HyperCore's 64 bits: it is compared
///  - the payee is a contract, which may have no way to act on HyperCore although somebody gave it an account: its code
///  - the ERC-20 is not the token's, or scaled otherwise: HyperCore itself is asked, by the constructor
contract HtlcCore is Htlc {
    /// @notice What was at the address of an order went back to its initiator.
    /// @param orderId See `orderId`.
    /// @param amount In units of the ERC-20.
    event DepositReclaimed(bytes32 indexed orderId, uint256 amount);

    /// @notice The count of the bridge's funds was lowered.
    /// @param funds On both sides together, in units of the ERC-20.
    event BridgeFundsCounted(uint256 funds);

    /// @notice HyperCore does not link this token to an ERC-20 with at least as many decimals.
    error HTLC__TokenNotLinked();
    /// @notice HyperCore counts in 64 bits.
    error HTLC__AmountTooLarge();
    /// @notice Less than the amount of the order arrived.
    error HTLC__AmountNotReceived();
    /// @notice Only the initiator may reclaim a deposit before its deadline, as long as the order is not initiated.
    error HTLC__NotTheInitiator();
    /// @notice A deposit funds no order after its deadline.
    error HTLC__DepositTooLate();

    /// Hyperliquid allows a difference of 18 decimals at most.
    int8 private constant MAX_EXTRA_DECIMALS = 18;

    address private immutable _token;
    uint64 private immutable _coreToken;
    uint256 private immutable _evmPerCore;

    /// The bridge's funds on both sides together when this contract was deployed, in units of the ERC-20; see `recount`.
    /// Order ids are hashes, so no order uses this slot.
    uint256 private _bridgeFunds;

    /// @param coreToken_ The index of the token on HyperCore.
    constructor(uint64 coreToken_) {
        HyperCore.TokenInfo memory info = HyperCore.tokenInfo(coreToken_);
        int8 extra = info.evmExtraWeiDecimals;
        if (info.evmContract.code.length == 0 || extra < 0 || extra > MAX_EXTRA_DECIMALS) {
            revert HTLC__TokenNotLinked();
        }
        _token = info.evmContract;
        _coreToken = coreToken_;
        _evmPerCore = 10 ** uint8(extra);
        _bridgeFunds = HyperCore.bridgeFunds(info.evmContract, coreToken_, 10 ** uint8(extra));
    }

    /// @notice Locks the caller's tokens; needs an allowance for this contract.
    /// @param redeemer Who is paid with the secret.
    /// @param timelock Seconds from now until a refund is possible.
    /// @param amount In the units of HyperCore.
    /// @param secretHash SHA-256 of the 32-byte secret.
    function initiate(address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash) external {
        _openFor(msg.sender, redeemer, timelock, amount, secretHash);
        _collect(msg.sender, amount);
    }

    /// @notice Locks the caller's tokens in an order that refunds to another initiator.
    /// @param initiator Who gets the money back when the order is refunded.
    /// @param redeemer Who is paid with the secret.
    /// @param timelock Seconds from now until a refund is possible.
    /// @param amount In the units of HyperCore.
    /// @param secretHash SHA-256 of the 32-byte secret.
    function initiateOnBehalf(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash
    ) external {
        if (initiator == address(0)) revert HTLC__ZeroAddressInitiator();
        _openFor(initiator, redeemer, timelock, amount, secretHash);
        _collect(msg.sender, amount);
    }

    /// @notice Locks the initiator's tokens, which the initiator permitted by signing
    /// Initiate(address redeemer,uint256 timelock,uint256 amount,bytes32 secretHash). Anyone may relay it.
    /// @param initiator Who gets the money back when the order is refunded, and whose money is locked.
    /// @param redeemer Who is paid with the secret.
    /// @param timelock Seconds from now until a refund is possible.
    /// @param amount In the units of HyperCore.
    /// @param secretHash SHA-256 of the 32-byte secret.
    /// @param signature The initiator's: 65 bytes, 64 (EIP-2098), or what its contract accepts (ERC-1271).
    function initiateWithSignature(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        bytes calldata signature
    ) external {
        _requireSignature(
            initiator,
            _typedDataDigest(_initiateHash(redeemer, timelock, amount, secretHash)),
            signature
        );
        _openFor(initiator, redeemer, timelock, amount, secretHash);
        _collect(initiator, amount);
    }

    /// @notice Locks what was paid to the address of this order and deadline. Anyone may call: paying there was the
    /// consent, which ends with the deadline. More than the amount goes back to the initiator.
    /// @param initiator Who gets the money back when the order is refunded.
    /// @param redeemer Who is paid with the secret.
    /// @param timelock Seconds from now until a refund is possible.
    /// @param amount In the units of HyperCore.
    /// @param secretHash SHA-256 of the 32-byte secret.
    /// @param deadline Unix seconds: until then a deposit can fund the order.
    function initiateFromDeposit(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        uint256 deadline
    ) external {
        if (initiator == address(0)) revert HTLC__ZeroAddressInitiator();
        if (block.timestamp > deadline) revert HTLC__DepositTooLate();
        _openFor(initiator, redeemer, timelock, amount, secretHash);
        bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);
        uint256 received = _emptyDeposit(id, deadline, initiator);
        uint256 needed = amount * _evmPerCore;
        if (received < needed) revert HTLC__AmountNotReceived();
        _giveBack(initiator, received - needed);
    }

    /// @notice Pays what is at the address of this order and deadline to the initiator. Once the order is there, or
    /// settled, or its deadline has passed, nothing waits for it any more and anyone may call; before, only the initiator.
    /// @param initiator Who gets the money back when the order is refunded.
    /// @param redeemer Who is paid with the secret.
    /// @param timelock Seconds from now until a refund is possible.
    /// @param amount In the units of HyperCore.
    /// @param secretHash SHA-256 of the 32-byte secret.
    /// @param deadline Unix seconds: until then a deposit can fund the order.
    function reclaimDeposit(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        uint256 deadline
    ) external {
        bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);
        if (msg.sender != initiator && block.timestamp <= deadline && this.initiatedAt(id) == 0) {
            revert HTLC__NotTheInitiator();
        }
        uint256 received = _emptyDeposit(id, deadline, initiator);
        emit DepositReclaimed(id, received);
        _giveBack(initiator, received);
    }

    /// @notice Where to pay the ERC-20 for an order with exactly these terms, until the deadline; see
    /// `initiateFromDeposit`.
    /// @param initiator Who gets the money back when the order is refunded.
    /// @param redeemer Who is paid with the secret.
    /// @param timelock Seconds from now until a refund is possible.
    /// @param amount In the units of HyperCore.
    /// @param secretHash SHA-256 of the 32-byte secret.
    /// @param deadline Unix seconds: until then a deposit can fund the order.
    function depositAddress(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        uint256 deadline
    ) external view returns (address) {
        bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);
        return _depositAt(_depositSalt(id, deadline), initiator);
    }

    /// @notice Balances of the ERC-20, of many at once: whoever collects deposits watches many addresses.
    /// @param owners Any addresses.
    /// @return balances In units of the ERC-20, in the same order.
    function balancesOf(address[] calldata owners) external view returns (uint256[] memory balances) {
        balances = new uint256[](owners.length);
        for (uint256 i = 0; i < owners.length; ++i) {
            balances[i] = IBalance(_token).balanceOf(owners[i]);
        }
    }

    /// @notice Whether a payout in this block would reach the spot account of the payee; otherwise the payee gets the
    /// ERC-20 on HyperEVM.
    /// @param payee Who would be paid.
    /// @param amount In the units of HyperCore.
    function reachesCore(address payee, uint256 amount) public view returns (bool) {
        return amount <= type(uint64).max && payee.code.length == 0 && HyperCore.exists(payee)
            && HyperCore.exists(address(this)) && _isBacked();
    }

    /// @notice Corrects the count of the bridge's funds, downwards only: it is too high if this contract was deployed
    /// in a block in which something had crossed already. Anyone may call.
    function recount() external {
        uint256 current = HyperCore.bridgeFunds(_token, _coreToken, _evmPerCore);
        if (current >= _bridgeFunds) return;
        _bridgeFunds = current;
        emit BridgeFundsCounted(current);
    }

    /// @notice The bridge's funds on both sides together, in units of the ERC-20.
    /// @return believed Counted when this contract was deployed, or recounted. If it is more than `current`, payouts are
    /// not safe.
    /// @return current As HyperCore shows it in this block.
    function bridgeFunds() external view returns (uint256 believed, uint256 current) {
        return (_bridgeFunds, HyperCore.bridgeFunds(_token, _coreToken, _evmPerCore));
    }

    /// @inheritdoc IHtlc
    function token() external view override returns (address) {
        return _token;
    }

    /// @notice The index of the token on HyperCore.
    function coreToken() external view returns (uint64) {
        return _coreToken;
    }

    /// @notice How many units of the ERC-20 one unit on HyperCore is.
    function evmPerCore() external view returns (uint256) {
        return _evmPerCore;
    }

    function _openFor(address initiator, address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash)
        private
    {
        if (amount > type(uint64).max) revert HTLC__AmountTooLarge();
        _open(initiator, redeemer, timelock, amount, secretHash);
    }

    function _collect(address from, uint256 amount) private {
        uint256 needed = amount * _evmPerCore;
        if (Transfers.pull(_token, from, needed) < needed) revert HTLC__AmountNotReceived();
    }

    /// @return received The balance of the deposit address. Anything else that arrives meanwhile belongs to other orders.
    function _emptyDeposit(bytes32 id, uint256 deadline, address initiator) private returns (uint256 received) {
        IBalance erc20 = IBalance(_token);
        bytes32 salt = _depositSalt(id, deadline);
        received = erc20.balanceOf(_depositAt(salt, initiator));
        uint256 before = erc20.balanceOf(address(this));
        new CoreDeposit{salt: salt}(erc20, payable(initiator));
        if (erc20.balanceOf(address(this)) < before + received) revert HTLC__AmountNotReceived();
    }

    function _depositSalt(bytes32 id, uint256 deadline) private pure returns (bytes32) {
        return keccak256(abi.encode(id, deadline));
    }

    function _depositAt(bytes32 salt, address initiator) private view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(CoreDeposit).creationCode, abi.encode(_token, initiator)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }

    /// @dev Whether HyperCore has enough for all that could ever cross. Then other crossings in the same block, which a
    /// contract cannot see, do no harm. Crossing does not change the sum of both sides, so the count at deployment
    /// still holds, and it must cover the whole supply; only new supply can exceed it. The sum as seen now may be too
    /// high, because HyperCore shows its state when the block began; if it is too low, something else has happened
    /// to the bridge.
    function _isBacked() private view returns (bool) {
        uint256 supply = HyperCore.totalSupply(_token);
        return supply <= _bridgeFunds && supply <= HyperCore.bridgeFunds(_token, _coreToken, _evmPerCore);
    }

    /// @dev What HyperCore cannot count stays on HyperEVM.
    function _giveBack(address to, uint256 evmAmount) private {
        uint256 dust = evmAmount % _evmPerCore;
        if (evmAmount != dust) _pay(to, evmAmount / _evmPerCore);
        if (dust != 0) Transfers.push(_token, to, dust);
    }

    /// @dev HyperCore runs actions after all transfers of a block, so the action can be written first; if the writer
    /// refuses, the payout can still stay on HyperEVM.
    function _pay(address to, uint256 amount) internal override {
        address receiver = to;
        if (reachesCore(to, amount) && HyperCore.spotSend(to, _coreToken, uint64(amount))) {
            receiver = HyperCore.systemAddress(_coreToken);
        }
        Transfers.push(_token, receiver, amount * _evmPerCore);
    }

    function _domainName() internal pure override returns (string memory) {
        return "HTLC-ERC20";
    }
}
