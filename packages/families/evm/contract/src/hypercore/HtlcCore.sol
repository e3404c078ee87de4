// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {BriefAccounts} from "../BriefAccounts.sol";
import {HtlcToken} from "../HtlcToken.sol";
import {Transfers} from "../Transfers.sol";
import {CoreAccount, ICoreAccountTask} from "./CoreAccount.sol";
import {HyperCore} from "./HyperCore.sol";

/// @title Hash time-locked contract on HyperEVM for a token of HyperCore: money comes from spot accounts and goes there.
/// @notice Amounts of orders are in the units of HyperCore, of which one is `evmPerCore` units of the ERC-20: there is
/// no dust that one side can hold and the other cannot.
/// @dev A payout crosses to HyperCore in two steps that fail silently: the ERC-20 goes to the token's system
/// address, which credits this contract there, and an action of this contract forwards it. It is tried only when
/// neither step can fail; otherwise the payee gets the ERC-20 on HyperEVM. The possible failures, and their guards:
///  - this contract has no account on HyperCore, so it cannot act: `exists(this)`
///  - the payee has none, so sending would cost a fee that this contract cannot pay: `exists(payee)`
///  - the bridge has less on HyperCore than could cross, so that what crosses may be lost: `_isBacked`
///  - the amount does not fit into HyperCore's 64 bits: it is compared
///  - the payee is a contract, which may have no way to act on HyperCore although somebody gave it an account: its code
///  - the ERC-20 is not the token's, or scaled otherwise: HyperCore itself is asked, by the constructor
contract HtlcCore is HtlcToken, BriefAccounts, ICoreAccountTask {
    /// @notice An owner consented to an order that the account cannot pay yet: it has too little on HyperEVM.
    /// @param orderId See `orderId`.
    /// @param owner The owner of the account.
    /// @param deadline Unix seconds.
    event Consented(bytes32 indexed orderId, address indexed owner, uint256 deadline);

    /// @notice All that an account had was sent to its owner.
    /// @param owner The owner of the account.
    /// @param evmAmount In units of the ERC-20.
    /// @param coreToken A token of HyperCore.
    /// @param coreAmount The amount of that token, in the units of HyperCore.
    event AccountEmptied(address indexed owner, uint256 evmAmount, uint64 coreToken, uint256 coreAmount);

    /// @notice The count of the bridge's funds was lowered.
    /// @param funds The funds on both sides together, in units of the ERC-20.
    event BridgeFundsCounted(uint256 funds);

    /// @notice HyperCore counts in 64 bits.
    error HTLC__AmountTooLarge();
    /// @notice The deadline has passed.
    error HTLC__TooLate();
    /// @notice The owner of the account did not consent to this order, or only until an earlier time.
    error HTLC__NoConsent();
    /// @notice The owner consented to no such order, the consent was used already, a deadline has not passed, or the
    /// account is empty.
    error HTLC__NotReclaimable();
    /// @notice The account has nothing on HyperCore.
    error HTLC__NothingToCross();
    /// @notice HyperCore counts HYPE in units of 10^10 wei.
    error HTLC__ValueNotWhole();

    /// The time after the deadline of an order in which anyone may return what was paid too late, too little or twice.
    uint256 private constant RECLAIM_WINDOW = 7 days;

    uint64 private immutable _coreToken;
    uint256 private immutable _evmPerCore;

    /// The bridge's funds on both sides together when this contract was deployed, in units of the ERC-20; see `recount`.
    /// Order ids are hashes, so no order uses this slot.
    uint256 private _bridgeFunds;

    /// Deadlines of consents, by owner and order id.
    mapping(bytes32 => uint256) private _consents;
    /// The latest deadline to which an owner consented. Before it nobody else empties the account.
    mapping(address => uint256) private _busyUntil;

    /// Whole words, because a part of one is read before it is written.
    uint256 private transient _taskOwner;
    uint256 private transient _taskEvmAmount;
    uint256 private transient _taskCoreTo;
    uint256 private transient _taskCoreToken;
    uint256 private transient _taskCoreAmount;

    /// @param coreToken_ The index of the token on HyperCore.
    constructor(uint64 coreToken_) HtlcToken(HyperCore.linkOf(coreToken_).evmContract) {
        _coreToken = coreToken_;
        _evmPerCore = 10 ** uint8(HyperCore.linkOf(coreToken_).evmExtraWeiDecimals);
        _bridgeFunds = HyperCore.bridgeFunds(_token, coreToken_, _evmPerCore);
    }

    /// @notice Locks money of the caller's account in an order, at once if it is on HyperEVM. If it is not, records the
    /// caller's consent to this order until the deadline, and brings all that the account has to HyperEVM. Then anyone
    /// may call `initiateConsented`.
    /// @dev The value pays for crossing. It goes back to the caller if nothing crosses.
    /// @param deadline The consent ends at this time, in Unix seconds.
    function initiateFromAccount(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        uint256 deadline
    ) external payable {
        if (initiator == address(0)) revert HTLC__ZeroAddressInitiator();
        if (block.timestamp > deadline) revert HTLC__TooLate();
        if (amount > type(uint64).max) revert HTLC__AmountTooLarge();
        if (_isHeldBy(msg.sender, amount)) {
            _open(initiator, redeemer, timelock, amount, secretHash);
            _takeFrom(msg.sender, amount);
        } else {
            bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);
            if (_state(id) != 0) revert HTLC__DuplicateOrder();
            _consents[_consentKey(msg.sender, id)] = deadline;
            if (deadline > _busyUntil[msg.sender]) _busyUntil[msg.sender] = deadline;
            emit Consented(id, msg.sender, deadline);
            if (_cross(msg.sender)) return;
        }
        if (msg.value != 0) Transfers.pushNative(msg.sender, msg.value);
    }

    /// @notice Locks money of an account in an order to which its owner consented. Anyone may call.
    /// @param owner The owner of the account.
    function initiateConsented(
        address owner,
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash
    ) external {
        bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);
        if (block.timestamp > _consents[_consentKey(owner, id)]) revert HTLC__NoConsent();
        _open(initiator, redeemer, timelock, amount, secretHash);
        _takeFrom(owner, amount);
    }

    /// @notice Brings all that an account has on HyperCore to HyperEVM, where it arrives with the next block. Anyone may
    /// call: the money stays the owner's. The value goes to the account on HyperCore, which pays the transfer in HYPE.
    /// @dev It always moves everything. HyperCore silently drops an action for more than the account has, so crossing a
    /// part could make another crossing in the same block fail.
    /// @param owner The owner of the account.
    function cross(address owner) external payable {
        if (!_cross(owner)) revert HTLC__NothingToCross();
    }

    /// @notice Pays all that the caller has in its account to the caller: the ERC-20, and one token on HyperCore, if the
    /// caller has an account there.
    /// @dev Does not end a consent or a signature: `revoke` does.
    /// @param coreToken_ The index on HyperCore of this contract's token, or of one that was sent there by mistake.
    function withdraw(uint64 coreToken_) external {
        _emptyAccount(msg.sender, coreToken_);
    }

    /// @notice Pays all that an account has to its owner. Anyone may call, once for an order to which the owner
    /// consented, when all deadlines to which the owner consented have passed, and within a week after that of the order.
    /// @dev These limits keep others from emptying the account again and again while the owner pays for a signed order.
    /// @param owner The owner of the account, who is paid.
    /// @param id The id of the order.
    function reclaim(address owner, bytes32 id) external {
        bytes32 key = _consentKey(owner, id);
        if (!_isReclaimable(_consents[key], owner)) revert HTLC__NotReclaimable();
        delete _consents[key];
        // A call that comes too early, or is mined again after a reorg, must not use up the consent.
        if (!_emptyAccount(owner, _coreToken)) revert HTLC__NotReclaimable();
    }

    /// @notice The account of an owner at this contract, on HyperCore and on HyperEVM. Money there can be locked in
    /// orders to which the owner consents by a call or by a signature, or go back to the owner, and nothing else.
    /// @param owner Any address.
    function accountOf(address owner) public view returns (address) {
        bytes32 code = keccak256(type(CoreAccount).creationCode);
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), _saltOf(owner), code)))));
    }

    /// @notice The money of accounts on both sides together, for orders to which their owners consented: those that can be
    /// initiated with it, and those for which `reclaim` returns it. One call answers for many, because a service polls many.
    /// @param owners The owners of the accounts.
    /// @param ids The ids of the orders, one for each owner.
    /// @return amounts In the units of HyperCore; zero for all other orders.
    function heldFor(address[] calldata owners, bytes32[] calldata ids)
        external
        view
        returns (uint256[] memory amounts)
    {
        amounts = new uint256[](owners.length);
        for (uint256 i = 0; i < owners.length; ++i) {
            uint256 consent = _consents[_consentKey(owners[i], ids[i])];
            bool initiable = block.timestamp <= consent && _state(ids[i]) == 0;
            if (!initiable && !_isReclaimable(consent, owners[i])) continue;
            address account = accountOf(owners[i]);
            amounts[i] =
                IBalance(_token).balanceOf(account) / _evmPerCore + HyperCore.spotBalance(account, _coreToken);
        }
    }

    /// @inheritdoc ICoreAccountTask
    function accountTask() external view override returns (Task memory) {
        return Task({
            owner: address(uint160(_taskOwner)),
            token: _token,
            evmAmount: _taskEvmAmount,
            coreTo: address(uint160(_taskCoreTo)),
            coreToken: uint64(_taskCoreToken),
            // HyperCore counts in 64 bits.
            coreAmount: uint64(_taskCoreAmount)
        });
    }

    /// @notice Whether a payout in this block would reach the spot account of the payee; otherwise the payee gets the
    /// ERC-20 on HyperEVM.
    /// @param payee The account that would be paid.
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
    /// @return believed The count of the deployment, or of `recount`. If it is more than `current`, payouts are not safe.
    /// @return current The sum that HyperCore shows in this block.
    function bridgeFunds() external view returns (uint256 believed, uint256 current) {
        return (_bridgeFunds, HyperCore.bridgeFunds(_token, _coreToken, _evmPerCore));
    }

    /// @notice The index of the token on HyperCore.
    function coreToken() external view returns (uint64) {
        return _coreToken;
    }

    /// @notice How many units of the ERC-20 one unit on HyperCore is.
    function evmPerCore() external view returns (uint256) {
        return _evmPerCore;
    }

    /// @dev HyperCore counts in 64 bits.
    function _open(address initiator, address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash)
        internal
        override
    {
        if (amount > type(uint64).max) revert HTLC__AmountTooLarge();
        super._open(initiator, redeemer, timelock, amount, secretHash);
    }

    function _collect(address from, uint256 amount) internal override {
        super._collect(from, amount * _evmPerCore);
    }

    /// @dev The money comes from the initiator's account here if that has enough on HyperEVM, else by an allowance.
    function _collectSigned(address initiator, uint256 amount) internal override {
        if (_isHeldBy(initiator, amount)) _takeFrom(initiator, amount);
        else _collect(initiator, amount);
    }

    function _isHeldBy(address owner, uint256 amount) private view returns (bool) {
        return IBalance(_token).balanceOf(accountOf(owner)) >= amount * _evmPerCore;
    }

    function _takeFrom(address owner, uint256 amount) private {
        _act(owner, amount * _evmPerCore, address(0), 0, 0, 0);
    }

    /// @dev HyperCore shows the balance as it was when the block began. An action for less than all of it would leave
    /// the rest, and one for more is dropped.
    /// @return isAsked Whether there was anything.
    function _cross(address owner) private returns (bool isAsked) {
        uint256 balance = HyperCore.spotBalance(accountOf(owner), _coreToken);
        if (balance == 0) return false;
        // HyperCore would not credit a part of its unit.
        if (msg.value % HyperCore.WEI_PER_HYPE_UNIT != 0) revert HTLC__ValueNotWhole();
        _act(owner, 0, HyperCore.systemAddress(_coreToken), _coreToken, balance, msg.value);
        return true;
    }

    /// @return isPaid Whether there was anything.
    function _emptyAccount(address owner, uint64 coreToken_) private returns (bool isPaid) {
        address account = accountOf(owner);
        uint256 evmAmount = IBalance(_token).balanceOf(account);
        // HyperCore would drop a transfer to an owner without an account there. An owner that is a contract may have no way
        // to act there, so only its own call sends money there. Otherwise such an owner is paid on HyperEVM, after `cross`.
        uint256 coreAmount = HyperCore.exists(owner) && (owner.code.length == 0 || owner == msg.sender)
            ? HyperCore.spotBalance(account, coreToken_)
            : 0;
        _act(owner, evmAmount, owner, coreToken_, coreAmount, 0);
        emit AccountEmptied(owner, evmAmount, coreToken_, coreAmount);
        // HyperCore cannot count less than its unit, so such dust stays on HyperEVM.
        uint256 dust = evmAmount % _evmPerCore;
        if (evmAmount != dust) _pay(owner, evmAmount / _evmPerCore);
        if (dust != 0) Transfers.push(_token, owner, dust);
        return evmAmount + coreAmount != 0;
    }

    /// @dev The account reads its task before it calls anything else, so re-entering cannot change it. Others than the owner
    /// make it act by a key: see `BriefAccounts`.
    function _act(
        address owner,
        uint256 evmAmount,
        address coreTo,
        uint64 coreToken_,
        uint256 coreAmount,
        uint256 value
    ) private {
        _requireWholeTransaction(owner);
        IBalance erc20 = IBalance(_token);
        uint256 expected = erc20.balanceOf(address(this)) + evmAmount;
        _taskOwner = uint160(owner);
        _taskEvmAmount = evmAmount;
        _taskCoreTo = uint160(coreTo);
        _taskCoreToken = coreToken_;
        _taskCoreAmount = coreAmount;
        new CoreAccount{salt: _saltOf(owner), value: value}();
        if (erc20.balanceOf(address(this)) < expected) revert HTLC__AmountNotReceived();
    }

    /// @dev No consent is later than `_busyUntil`. An absent consent is zero, which is longer ago than the window.
    function _isReclaimable(uint256 consent, address owner) private view returns (bool) {
        return block.timestamp > _busyUntil[owner] && block.timestamp - consent <= RECLAIM_WINDOW;
    }

    function _saltOf(address owner) private pure returns (bytes32) {
        return bytes32(uint256(uint160(owner)));
    }

    function _consentKey(address owner, bytes32 id) private pure returns (bytes32) {
        return keccak256(abi.encode(owner, id));
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

    /// @dev HyperCore runs actions after all transfers of a block, so the action can be written first; if the writer
    /// refuses, the payout can still stay on HyperEVM.
    function _pay(address to, uint256 amount) internal override {
        address receiver = to;
        if (reachesCore(to, amount) && HyperCore.spotSend(to, _coreToken, uint64(amount))) {
            receiver = HyperCore.systemAddress(_coreToken);
        }
        super._pay(receiver, amount * _evmPerCore);
    }
}

interface IBalance {
    function balanceOf(address owner) external view returns (uint256);
}
