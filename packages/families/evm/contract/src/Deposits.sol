// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {BriefAccounts} from "./BriefAccounts.sol";
import {DepositAccount, IDepositAccountTask} from "./DepositAccount.sol";
import {Htlc} from "./Htlc.sol";
import {Transfers} from "./Transfers.sol";

/// @title Deposit addresses: an order can be paid by plain transfers to an address that is computed from its terms.
/// @notice What lies there can do two things: open exactly this order, or go to the initiator of the order.
/// @dev The address holds no code: see `DepositAccount`. Nothing has to be deployed or registered before money comes, and the
/// address never wears out. The chain is one of its terms, because the same contract may be at the same address on other
/// chains: money that was sent there opens nothing and goes back.
/// A token with two addresses can be returned early by its second one. It goes to the initiator even then.
abstract contract Deposits is Htlc, BriefAccounts, IDepositAccountTask {
    /// @dev The terms of an order, the id of the chain that it is for, and the time until which it may be opened by a deposit,
    /// in Unix seconds. Two deposits that differ in anything have two addresses.
    struct Deposit {
        uint256 chainId;
        address initiator;
        address redeemer;
        uint256 timelock;
        uint256 amount;
        bytes32 secretHash;
        uint256 deadline;
    }

    /// @notice Money left a deposit address for the initiator of its order.
    /// @param account The deposit address.
    /// @param initiator Who was paid.
    /// @param token What was paid; the zero address stands for the native coin.
    /// @param amount In the smallest unit of the token.
    event DepositReturned(address indexed account, address indexed initiator, address token, uint256 amount);

    /// @notice The deposit is for an order on another chain.
    error HTLC__OtherChain();
    /// @notice The deadline has passed.
    error HTLC__TooLate();
    /// @notice The money may still open the order, so only the initiator of the order takes it back.
    error HTLC__NotReturnable();
    /// @notice There is none of this token at the deposit address.
    error HTLC__NothingToReturn();

    uint256 private constant IS_INITIATION = 1 << 160;

    /// @notice Opens an order with money that lies at its deposit address. Anyone may call until the deadline, others than the
    /// initiator by a key (see `BriefAccounts`). A surplus of the token stays there for `reclaimDeposited`; native coin that the
    /// order does not take goes to the initiator.
    function initiateDeposit(Deposit memory deposit) external {
        _requireWholeTransaction(deposit.initiator);
        if (deposit.chainId != _deployedChainId) revert HTLC__OtherChain();
        if (block.timestamp > deposit.deadline) revert HTLC__TooLate();
        if (deposit.initiator == address(0)) revert HTLC__ZeroAddressInitiator();
        _open(deposit.initiator, deposit.redeemer, deposit.timelock, deposit.amount, deposit.secretHash);
        _takeDeposit(deposit);
    }

    /// @notice Pays all of a token that lies at a deposit address to the initiator of the order, and all native coin with it.
    /// The initiator may always call. Anyone else may by a key when the money can open the order no more, or never could: the
    /// order exists or was revoked, the deadline has passed, or this is another token or another chain.
    /// @param token_ Any token; the zero address stands for the native coin.
    function reclaimDeposited(Deposit memory deposit, address token_) external {
        _requireWholeTransaction(deposit.initiator);
        if (!_isReturnable(deposit, token_)) revert HTLC__NotReturnable();
        address account = depositAddressFrom(deposit);
        uint256 held = _balanceOf(token_, account);
        if (held == 0) revert HTLC__NothingToReturn();
        _act(deposit, account, token_, 0);
        if (token_ == address(0)) return;
        uint256 left = _balanceOf(token_, account);
        // A token that moved nothing must not look as if it had paid. Some leave a unit behind, because they round.
        if (left >= held) revert Transfers.HTLC__TransferFailed();
        emit DepositReturned(account, deposit.initiator, token_, held - left);
    }

    /// @notice Where an order can be paid by plain transfers.
    function depositAddressFrom(Deposit memory deposit) public view returns (address) {
        return _create2Address(_saltOf(deposit), keccak256(type(DepositAccount).creationCode));
    }

    /// @notice What each of many addresses holds of what this contract locks: one call answers a service that polls many.
    function balancesOfEach(address[] memory accounts) external view returns (uint256[] memory balances) {
        balances = new uint256[](accounts.length);
        for (uint256 i = 0; i < accounts.length; ++i) {
            balances[i] = _balanceOf(_asset(), accounts[i]);
        }
    }

    /// @inheritdoc IDepositAccountTask
    function presentAccountTask() external view override returns (address owner, address token_, uint256 amount) {
        (uint256 who, uint256 what) = _task();
        owner = address(uint160(who));
        if (who & IS_INITIATION == 0) token_ = address(uint160(what));
        else (token_, amount) = (_asset(), what);
    }

    /// @dev Takes the money of an order that was just opened. Both balances are measured: an initiation by code that a token
    /// lets run could bring what the account should, but does not leave the account poorer.
    function _takeDeposit(Deposit memory deposit) internal virtual {
        (address token_, uint256 amount) = (_asset(), deposit.amount);
        address account = depositAddressFrom(deposit);
        (uint256 here, uint256 there) = (_balanceOf(token_, address(this)), _balanceOf(token_, account));
        _act(deposit, account, token_, amount);
        if (!_isMoreBy(amount, _balanceOf(token_, address(this)), here)) revert HTLC__AmountNotReceived();
        if (!_isMoreBy(amount, there, _balanceOf(token_, account))) revert HTLC__AmountNotReceived();
    }

    /// @dev What this contract locks; the zero address stands for the native coin.
    function _asset() internal view virtual returns (address);

    /// @dev Whether a return of this token cannot move what opens an order. Every return moves all native coin.
    function _isForeign(address token_) internal view virtual returns (bool);

    /// @dev Keeps the task of the account that is created next.
    function _giveTask(uint256 who, uint256 what) internal virtual;

    function _task() internal view virtual returns (uint256 who, uint256 what);

    /// @dev EIP-1014.
    function _create2Address(bytes32 salt, bytes32 codeHash) internal view virtual returns (address) {
        return _create2AddressWith(0xff, salt, codeHash);
    }

    function _create2AddressWith(bytes1 prefix, bytes32 salt, bytes32 codeHash) internal view returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(prefix, address(this), salt, codeHash)))));
    }

    /// @dev An account takes its task before it calls anything else, so re-entering cannot change it. It cannot be created
    /// twice in one transaction.
    /// @param account The address of the deposit.
    /// @param amount What goes to this contract; zero if all goes to the initiator.
    function _act(Deposit memory deposit, address account, address token_, uint256 amount) private {
        uint256 coin = account.balance;
        uint256 who = uint160(deposit.initiator);
        if (amount == 0) _giveTask(who, uint160(token_));
        else _giveTask(who | IS_INITIATION, amount);
        new DepositAccount{salt: _saltOf(deposit)}();
        if (token_ == address(0)) coin -= amount;
        if (coin != 0) emit DepositReturned(account, deposit.initiator, address(0), coin);
    }

    /// @dev Reading the state of the order is dear, so it comes last.
    function _isReturnable(Deposit memory deposit, address token_) private view returns (bool) {
        return msg.sender == deposit.initiator || block.timestamp > deposit.deadline
            || deposit.chainId != _deployedChainId || _isForeign(token_) || _state(_idOf(deposit)) != 0;
    }

    /// @dev What `orderId` computes, for a deposit of this chain. A second function keeps the first one inlined, which saves gas
    /// where orders are settled.
    function _idOf(Deposit memory deposit) private view returns (bytes32) {
        return keccak256(
            abi.encode(
                deposit.chainId,
                address(this),
                deposit.initiator,
                deposit.redeemer,
                deposit.timelock,
                deposit.amount,
                deposit.secretHash
            )
        );
    }

    function _balanceOf(address token_, address owner) private view returns (uint256) {
        return token_ == address(0) ? owner.balance : Transfers.balanceOf(token_, owner);
    }

    function _isMoreBy(uint256 amount, uint256 more, uint256 less) private pure returns (bool) {
        unchecked {
            return more >= less && more - less >= amount;
        }
    }

    function _saltOf(Deposit memory deposit) private pure returns (bytes32) {
        return keccak256(abi.encode(deposit));
    }
}
